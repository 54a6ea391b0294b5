/* An `end` label on a d_step. */
byte x;
active proctype p() { end: d_step { x == 1 -> x = 2 } }
