/* Too few arguments for an inline. */
byte x;
inline f(a, b) { a = b }
active proctype p() { f(x) }
