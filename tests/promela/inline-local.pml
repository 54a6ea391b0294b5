/* A variable declared in an inline used twice. */
byte x;
inline f(v) { byte t; t = v + 1; x = x + t }
active proctype p() { f(1); f(2); assert(x > 0) }
