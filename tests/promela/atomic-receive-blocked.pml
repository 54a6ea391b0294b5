/* A receive that blocks inside an atomic sequence. */
chan c = [1] of { byte }; byte n;
active proctype p() { byte x; atomic { c?x; n = x; c?x; n = x } }
active proctype q() { c!1; n = 7; c!2 }
