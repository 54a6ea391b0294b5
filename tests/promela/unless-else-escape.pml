/* A choice with else in the escape. */
byte x;
active proctype p() { { x = 1; x = 2; x = 3 } unless { if :: x == 1 -> x = 20 :: x == 9 -> x = 21 fi } }
active proctype q() { x = 9 }
