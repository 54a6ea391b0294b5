#ifndef N
#define N 2
#endif
active proctype p() { assert(N < 3) }
