/* An unsigned of 3 bits. */
unsigned u : 3 = 5;
active proctype p() { u = u + 4; assert(u == 1); u = u - 2; assert(u == 7); u = -1; assert(u == 7) }
