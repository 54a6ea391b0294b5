/* An atomic sequence as the body of a loop. */
byte x;
active [2] proctype p() { do :: atomic { x < 4 -> x++; x++ } :: x >= 4 -> break od }
