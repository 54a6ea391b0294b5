/* `select` with literal bounds: one step, one edge per value. */
byte x;
active [2] proctype p() { byte v; select(v : 1 .. 4); x = v }
