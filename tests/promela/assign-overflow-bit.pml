/* A bit keeps the lowest bit. */
bit b; bool c;
active proctype p() { b = 2; assert(b == 0); b = 3; assert(b == 1); c = 6; assert(c == 0); c = 5; assert(c) }
