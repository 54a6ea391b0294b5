/* An array of one element is a scalar for most purposes. */
byte a[1];
active proctype p() { a[0] = 2; a[0]++; assert(a[0] == 3) }
