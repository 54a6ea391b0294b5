/* `select` of a single value. */
byte v;
active proctype p() { select(v : 3 .. 3); v = 0 }
active proctype q() { skip }
