/* Increment and decrement of array elements and record fields. */
typedef R { short x }; R r; byte a[2];
active proctype p() { a[1]++; a[1]++; a[1]--; r.x--; assert(r.x == -1 && a[1] == 1) }
