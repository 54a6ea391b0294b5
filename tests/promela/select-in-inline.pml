/* `select` inside an inline. */
byte v;
inline pick(x) { select(x : 0 .. 2) }
active proctype p() { pick(v); v = 0 }
active proctype q() { skip }
