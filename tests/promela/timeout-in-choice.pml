/* timeout beside other options. */
byte x;
active proctype p() { do :: x == 1 -> x = 0; break :: timeout -> x = 1 od }
active proctype q() { end: x == 3 }
