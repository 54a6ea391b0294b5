/* A declaration after the first statement is initialised by a step. */
byte g;
active proctype p() { g = 1; byte a = g + 1; g = a; assert(g == 2) }
active proctype q() { skip }
