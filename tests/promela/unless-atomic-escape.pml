/* The escape is an atomic sequence. */
byte x;
active proctype p() { { x = 1; x = 2; x = 3 } unless { atomic { x == 9 -> x = 10; x = 11 } } }
active proctype q() { x = 9; skip }
