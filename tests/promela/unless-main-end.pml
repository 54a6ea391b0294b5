/* No escape once the main sequence is over. */
byte x;
active proctype p() { { x = 1 } unless { x == 2 -> x = 9 }; x = 2; x = 3 }
