/* `goto` as the first statement of a body or block costs nothing. */
byte x;
active proctype p() { goto one; x = 9; one: x = 1; { goto two; x = 8 }; two: x = 2 }
active proctype q() { x = x }
