/* `else` beside a rendezvous receive. */
chan c = [0] of { byte }; byte n;
active proctype p() { if :: c?_ -> n = 1 :: else -> n = 2 fi }
active proctype q() { if :: c!1 :: n == 2 fi }
