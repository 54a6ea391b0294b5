/* An escape that is a rendezvous receive: waiting for it does not hold back the main sequence. */
chan c = [0] of { byte }; byte x;
active proctype p() { { x = 1; x = 2; x = 3 } unless { c?_ -> x = 10 } }
active proctype q() { end: c!1 }
