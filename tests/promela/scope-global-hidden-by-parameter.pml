/* A parameter may not have the name of a global. */
byte x = 7;
proctype p(byte x) { x++; assert(x == 3) }
init { run p(2); assert(x == 7) }
