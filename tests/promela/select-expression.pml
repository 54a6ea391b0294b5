/* `select` with expressions as bounds counts up step by step. */
byte x, lo = 1, hi = 3;
active proctype p() { byte v; select(v : lo .. hi); x = v }
active proctype q() { x = x }
