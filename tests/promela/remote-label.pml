/* P@label and P[i]@label. */
byte x;
active proctype p() { x = 1; here: x = 2; x = 3 }
active proctype q() { p@here -> x = 9; if :: p[0]@here -> x = 10 :: else -> x = 11 fi }
