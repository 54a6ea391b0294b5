/* A loop in a d_step. */
byte x, i;
active proctype p() { d_step { do :: i < 5 -> i++; x = x + i :: else -> break od; i = 0 }; assert(x == 15) }
active proctype q() { x = x }
