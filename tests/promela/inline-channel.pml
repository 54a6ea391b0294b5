/* An inline over channels. */
chan c = [1] of { byte };
inline ask(ch, v) { ch!v; ch?v }
active proctype p() { byte x = 3; ask(c, x); assert(x == 3) }
