/* The escape of an `unless` around an atomic sequence. */
byte x;
active proctype p() { { atomic { x = 1; x = 2; x = 3 }; x = 4 } unless { x == 2 || x == 9 -> x = 7 } }
active proctype q() { x = 9 }
