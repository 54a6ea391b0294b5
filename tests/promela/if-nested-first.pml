/* A choice as the first statement of an option: its guards are the option's guards. */
byte x;
active proctype p() { if :: if :: x == 1 -> x = 10 :: x == 2 -> x = 20 fi :: x == 3 -> x = 30 fi }
active proctype q() { x = 1; x = 2; x = 3 }
