/* An escape that is a rendezvous send. */
chan c = [0] of { byte }; byte x;
active proctype p() { { x = 1; x = 2; x = 3 } unless { c!1 -> x = 10 } }
active proctype q() { end: c?_ }
