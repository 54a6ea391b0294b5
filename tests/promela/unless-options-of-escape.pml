/* Several options in the escape. */
byte x, y;
active proctype p() { { x = 1; x = 2 } unless { if :: y == 1 -> x = 5 :: y > 0 -> x = 6 fi } }
active proctype q() { y = 1 }
