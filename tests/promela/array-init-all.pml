/* One initialiser for a whole array. */
byte a[3] = 7;
active proctype p() { a[0] + a[1] + a[2] == 21; a[1] = a[0] + a[2]; assert(a[1] == 14) }
