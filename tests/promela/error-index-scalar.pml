/* An index on a scalar. */
byte x;
active proctype p() { x[1] = 2 }
