/* An assertion that fails only when others moved first. */
byte x;
active proctype p() { x = 1; assert(x == 1) }
active proctype q() { x = 2 }
