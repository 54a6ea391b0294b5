/* A jump inside a d_step, not to its first statement. */
byte x;
active proctype p() { d_step { x = 1; again: x++; if :: x < 3 -> goto again :: else fi; x = 9 }; x = 1 }
