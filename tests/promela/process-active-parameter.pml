/* An active process with parameters: they are 0. */
byte x = 5;
active proctype p(byte a) { x = a; assert(x == 0) }
