/* enabled() of another process, as a statement. */
byte x;
active proctype p() { x == 1; x = 2 }
active proctype q() { enabled(0) == 0; x = 1 }
