/* A list initialiser shorter than the array: SPIN gives the last value to all the remaining elements. */
byte a[4] = { 5, 6 };
active proctype p() { byte i; for (i in a) { assert(a[i] != 9) }; assert(a[0] == 5 && a[1] == 6 && a[2] == 6 && a[3] == 6) }
