/* Poll and receive in one atomic sequence. */
chan c = [2] of { byte }; byte n;
active proctype p() { c!1; c!2 }
active [2] proctype q() { byte x; atomic { c?[x] -> c?x; n = n + x }; x = 0 }
