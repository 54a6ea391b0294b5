/* select inside an atomic sequence, long form. */
byte x, hi = 2;
active proctype p() { byte v; atomic { select(v : 0 .. hi); x = v } }
active proctype q() { skip }
