/* An expression as argument. */
byte x, y = 3;
inline set(a, e) { a = e * 2 }
active proctype p() { set(x, y + 1); assert(x == 5 || x == 8) }
