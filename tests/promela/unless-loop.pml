/* unless around a loop and inside one. */
byte x;
active proctype p() { do :: x < 3 -> { x++; x++ } unless { x == 2 -> x = 7 } :: else -> break od }
