/* SPIN refuses an array indexed by itself on the left of an assignment. */
byte a[2];
active proctype p() { a[a[1]] = 1 }
