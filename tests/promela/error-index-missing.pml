/* An array without index. */
byte x[3];
active proctype p() { x = 2; x[1] = x + 1 }
