/* A jump into a d_step is refused. */
byte x;
active proctype p() { goto in; d_step { x = 1; in: x = 2 } }
