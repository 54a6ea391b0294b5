/* SPIN refuses a label on the first statement of an atomic sequence. */
byte x;
active proctype p() { atomic { again: x++ ; x = 2 } }
