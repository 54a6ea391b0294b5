/* `for` over a range: steps for the start, each test, each increment, and the end. */
byte i, s;
active proctype p() { for (i : 1 .. 3) { s = s + i }; assert(s == 6 && i == 4) }
