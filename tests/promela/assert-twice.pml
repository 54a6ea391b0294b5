/* A false assertion counts once for each time it is executed. */
byte x;
active [2] proctype p() { x++; assert(x < 2); x++ }
