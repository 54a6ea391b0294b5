/* A jump to a jump to a jump. */
byte x;
active proctype p() { x = 1; goto a; c: goto d; b: goto c; a: goto b; d: x = 2 }
active proctype q() { x = x }
