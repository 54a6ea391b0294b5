/* Processes waiting for ever: an invalid end state. */
byte x;
active proctype p() { x == 1 }
active proctype q() { end: x == 2 }
