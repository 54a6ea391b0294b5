/* unsigned of one bit, local. */
active proctype p() { unsigned u : 1; u = 3; assert(u == 1); u++; assert(u == 0) }
