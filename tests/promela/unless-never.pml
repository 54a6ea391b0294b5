/* An escape that never happens. */
byte x;
active proctype p() { { x = 1; x = 2 } unless { x == 9 -> x = 10 }; x = 5 }
