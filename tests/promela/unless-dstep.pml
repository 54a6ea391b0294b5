/* unless around a d_step. */
byte x;
active proctype p() { { d_step { x == 0 -> x = 1; x = 2 }; x = 3 } unless { x == 9 -> x = 4 } }
active proctype q() { x = 9 }
