/* timeout inside an expression. */
byte x;
active proctype p() { (timeout && x == 0) -> x = 1; (x == 2 || timeout) -> x = 3 }
active proctype q() { end: do :: x == 1 -> x = 2 od }
