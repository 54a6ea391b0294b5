/* `select` into a name with an underscore takes the long form. */
byte v_1;
active proctype p() { select(v_1 : 1 .. 3); v_1 = 0 }
active proctype q() { skip }
