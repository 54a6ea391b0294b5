/* SPIN refuses a label on the first statement of a block. */
byte x;
active proctype p() { { again: x++ ; x = 2 }; if :: x < 2 -> goto again :: else fi }
