/* `else` beside a rendezvous send: executable when the handshake is impossible. */
chan c = [0] of { byte }; byte n;
active proctype p() { if :: c!1 -> n = 1 :: else -> n = 2 fi }
active proctype q() { if :: n == 0 -> c?_ :: n > 0 fi }
