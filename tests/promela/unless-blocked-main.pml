/* The main sequence is blocked; the escape is the way out. */
byte x;
active proctype p() { { x == 5 } unless { x == 9 -> x = 10 }; x = 11 }
active proctype q() { if :: x = 5 :: x = 9 fi }
