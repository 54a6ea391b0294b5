/* An atomic whose choice is blocked: others may unblock it. */
byte x;
active proctype p() { atomic { x = 1; if :: x == 5 -> x = 6 :: x == 7 -> x = 8 fi; x = 9 } }
active proctype q() { if :: x = 5 :: x = 7 fi }
