/* Inlines that call inlines. */
byte x;
inline one(v) { v++ }
inline two(v) { one(v); one(v) }
inline four(v) { two(v); two(v) }
active proctype p() { four(x); assert(x == 4) }
