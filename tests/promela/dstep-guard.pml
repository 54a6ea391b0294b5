/* A d_step is entered only when its first statement is executable. */
byte x;
active [2] proctype p() { d_step { x == 0 -> x = 1; x = 2 } }
