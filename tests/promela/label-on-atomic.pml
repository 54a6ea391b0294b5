/* A label in front of an atomic sequence. */
byte x;
active proctype p() { again: atomic { x < 3 -> x++; x = x }; if :: x < 3 -> goto again :: else fi }
active proctype q() { x = x }
