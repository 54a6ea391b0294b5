/* else and priorities. */
byte x;
active proctype p() priority 5 { if :: x == 1 -> x = 2 :: else -> x = 3 fi }
active proctype q() priority 1 { x = 1 }
