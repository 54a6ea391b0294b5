/* A loop as the first statement of an option. */
byte x;
active proctype p() { if :: do :: x < 2 -> x++ :: x == 2 -> break od; x = 5 :: x == 1 -> x = 9 fi }
