/* A process that may not move does not hold up timeout. */
byte x;
active proctype p() provided (x > 0) { skip }
active proctype q() { timeout -> x = 1 }
