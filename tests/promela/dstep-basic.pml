/* A d_step is one step. */
byte x;
active [2] proctype p() { d_step { x++; x++; x = x * 2 }; x = 0 }
