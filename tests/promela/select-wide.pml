/* `select` over more than 32 values takes the long form. */
byte v;
active proctype p() { select(v : 0 .. 33); v = 0 }
active proctype q() { skip }
