/* The escape is tried before every statement of the main sequence. */
byte x;
active proctype p() { { x = 1; x = 2; x = 3 } unless { x == 9 -> x = 10 } }
active proctype q() { x = 9 }
