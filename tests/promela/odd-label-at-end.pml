/* A label with no statement after it: SPIN accepts it, and the end of the body becomes a step. */
byte x;
active proctype p() { x = 1; done: }
