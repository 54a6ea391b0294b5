/* A `for` whose range is empty only at run time. */
byte i, s, n = 2;
active proctype p() { for (i : 5 .. n) { s++ }; assert(s == 0 && i == 5) }
