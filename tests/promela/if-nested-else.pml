/* A choice with else as the first statement of an option; else of the outer choice. */
byte x;
active proctype p() { if :: if :: x == 1 -> x = 10 :: else -> x = 20 fi :: x == 3 -> x = 30 fi; x = 0 }
active proctype q() { x = 1; x = 3 }
