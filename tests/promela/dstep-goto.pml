/* SPIN refuses a label on the first statement of a d_step. */
byte x;
active proctype p() { d_step { again: x++; if :: x < 3 -> goto again :: else fi; x = 9 }; x = 1 }
