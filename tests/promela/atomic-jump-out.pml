/* A jump out of an atomic sequence ends it. */
byte x, y;
active proctype p() { atomic { x = 1; x = 2; if :: y == 0 -> goto out :: else fi; x = 3 }; out: x = 4; x = 5 }
active proctype q() { y = 0; y = 1 }
