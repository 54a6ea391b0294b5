/* The arrow is a semicolon. */
byte x;
active proctype p() { x = 1 -> x = 2 -> x == 2 -> x = 3 }
