/* Three levels of escapes. */
byte x, y;
active proctype p() { { { { x = 1; x = 2 } unless { y == 1 -> x = 3 } } unless { y == 2 -> x = 4 } } unless { y >= 1 -> x = 5 } }
active proctype q() { if :: y = 1 :: y = 2 :: y = 3 fi }
