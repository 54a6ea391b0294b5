/* Loop by jump inside an atomic sequence. */
byte x;
active [2] proctype p() { atomic { skip; again: x++; if :: x % 3 != 0 -> goto again :: else fi } }
