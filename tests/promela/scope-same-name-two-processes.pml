/* The same local name in two proctypes. */
byte g;
active proctype p() { byte x = 1; g = x }
active proctype q() { byte x = 2; g = g + x }
