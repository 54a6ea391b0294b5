/* A block in braces as an option. */
byte x;
active proctype p() { if :: { x == 0; x = 1 } :: { x = 2; x = 3 } fi }
active proctype q() { x = 4 }
