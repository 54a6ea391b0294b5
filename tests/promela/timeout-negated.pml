/* A negated timeout. */
byte x;
active proctype p() { (!timeout) -> x = 1 }
active proctype q() { end: x == 5 }
