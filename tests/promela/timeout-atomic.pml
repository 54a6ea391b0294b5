/* timeout while an atomic is blocked. */
byte x;
active proctype p() { atomic { x = 1; x == 2; x = 3 } }
active proctype q() { timeout -> x = 2 }
