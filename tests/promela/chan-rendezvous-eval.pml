/* eval in a rendezvous receive. */
chan c = [0] of { byte }; byte want = 2;
active proctype p() { if :: c!1 :: c!2 :: c!3 fi }
active proctype q() { c?eval(want); c?eval(want + 1) }
