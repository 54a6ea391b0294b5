/* A for in a d_step. */
byte a[3], i;
active proctype p() { d_step { for (i : 0 .. 2) { a[i] = i * i } ; i = 0 }; assert(a[2] == 4) }
