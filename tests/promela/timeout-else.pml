/* else and timeout in one choice. */
byte x;
active proctype p() { if :: x == 1 -> x = 2 :: timeout -> x = 3 :: else -> x = 4 fi }
