/* An escape inside an escape: the outer one is tried first. */
byte x, y;
active proctype p() { { { x = 1; x = 2 } unless { y == 1 -> x = 3; x = 4 } } unless { y > 0 -> x = 5 } }
active proctype q() { if :: y = 1 :: y = 2 fi }
