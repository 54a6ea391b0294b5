/* The escape sequence has an unless of its own. */
byte x, y;
active proctype p() { { x = 1; x = 2 } unless { { y == 1 -> x = 3; x = 4 } unless { y == 2 -> x = 5 } } }
active proctype q() { y = 1; y = 2 }
