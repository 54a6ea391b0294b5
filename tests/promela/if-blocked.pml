/* No option is executable: the choice waits. */
byte x;
active proctype p() { if :: x == 1 -> x = 2 :: x == 3 -> x = 4 fi }
active proctype q() { if :: x = 1 :: x = 3 :: x = 5 fi }
