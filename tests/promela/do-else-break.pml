/* A loop left through else. */
byte x;
active [2] proctype p() { do :: x < 3 -> x++ :: else -> break od }
