/* `else` is executable when no other option is. */
byte x;
active proctype p() { if :: x == 1 -> x = 2 :: x == 3 -> x = 4 :: else -> x = 9 fi }
active proctype q() { if :: x = 1 :: x = 3 :: x = 5 fi }
