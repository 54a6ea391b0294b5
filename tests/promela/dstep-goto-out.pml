/* A jump out of a d_step is refused. */
byte x;
active proctype p() { d_step { x++; if :: x < 3 -> goto out :: else fi }; x = 1; out: x = 2 }
