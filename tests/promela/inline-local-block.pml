/* A variable in a block in an inline. */
byte x;
inline f(v) { { byte t = v; x = x + t } }
active proctype p() { f(1); f(2); assert(x == 3) }
