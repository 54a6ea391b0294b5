/* A jump into the middle of an atomic sequence: atomic from there on. */
byte x, y;
active proctype p() { goto in; atomic { x = 1; in: y = 1; y = 2; y = 3 } }
active proctype q() { x = 5; x = 6 }
