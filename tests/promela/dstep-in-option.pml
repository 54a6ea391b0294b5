/* SPIN refuses to leave a loop from inside a d_step. */
byte x;
active [2] proctype p() { do :: d_step { x < 2 -> x++; x = x } :: d_step { x == 2 -> skip; break } od }
