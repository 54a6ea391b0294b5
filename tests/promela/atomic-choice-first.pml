/* An atomic that begins with a choice. */
byte x;
active [2] proctype p() { atomic { if :: x == 0 -> x = 1; x = 2 :: x == 2 -> x = 3; x = 4 :: x == 7 fi; x++ } }
