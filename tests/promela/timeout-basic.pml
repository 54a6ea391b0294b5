/* timeout is true when nothing else can move. */
byte x;
active proctype p() { x == 1 -> x = 2 }
active proctype q() { timeout -> x = 1 }
