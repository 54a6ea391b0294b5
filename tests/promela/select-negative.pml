/* `select` with a negative bound. */
short v;
active proctype p() { select(v : -1 .. 2); v = 0 }
active proctype q() { skip }
