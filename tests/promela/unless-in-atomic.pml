/* unless inside an atomic sequence. */
byte x;
active proctype p() { atomic { { x = 1; x = 2; x = 3 } unless { x == 2 -> x = 8 }; x = 9 } }
active proctype q() { skip }
