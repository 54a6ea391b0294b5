/* init is process 0 only if it comes before active processes in the text. */
byte i, a;
active proctype p() { a = _pid }
init { i = _pid; assert(i == 1) }
