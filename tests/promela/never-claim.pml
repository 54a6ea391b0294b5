/* A never claim, left out of the search. */
byte x;
active proctype p() { do :: x < 3 -> x++ :: else -> break od }
never { do :: x < 3 :: x == 3 -> break od; accept: do :: true od }
