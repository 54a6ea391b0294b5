/* A receive as the guard of a d_step. */
chan c = [1] of { byte }; byte n;
active proctype p() { c!1; c!2 }
active proctype q() { byte x; do :: d_step { c?x -> n = n + x; x = 0 } :: n == 3 -> break od }
