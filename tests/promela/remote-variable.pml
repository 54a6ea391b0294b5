/* P:var and P[i]:var. */
byte x;
active proctype p() { byte v = 4; v = 5; v = 6 }
active proctype q() { p:v == 5 -> x = p[0]:v; assert(x == 5 || x == 6) }
