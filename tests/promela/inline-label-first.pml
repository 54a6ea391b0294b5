/* SPIN refuses a label on the first statement of an inline's body. */
byte x;
inline wait(v) { again: if :: x < v -> x++; goto again :: else fi }
active proctype p() { wait(2) }
