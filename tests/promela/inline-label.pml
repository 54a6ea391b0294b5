/* A label in an inline, used in two processes. */
byte x;
inline wait(v) { skip; again: if :: x < v -> x++; goto again :: else fi }
active proctype p() { wait(2) }
active proctype q() { wait(3) }
