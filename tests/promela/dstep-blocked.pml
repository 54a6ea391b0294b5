/* A d_step that blocks after its first statement is a fault. */
byte x;
active proctype p() { d_step { x = 1; x == 2; x = 3 } }
