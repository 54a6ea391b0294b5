/* timeout as an escape. */
byte x;
active proctype p() { { x == 5; x = 6 } unless { timeout -> x = 7 } }
active proctype q() { x = 1; x = 2 }
