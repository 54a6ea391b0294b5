/* A global declared twice. */
byte x;
byte x;
active proctype p() { x = 1 }
