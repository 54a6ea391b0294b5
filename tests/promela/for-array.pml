/* `for` over the indices of an array. */
byte a[3] = 2, s, i;
active proctype p() { for (i in a) { s = s + a[i] }; assert(s == 6) }
