/* `select` into an array element is refused. */
byte a[2];
active proctype p() { select(a[1] : 0 .. 2); a[1] = 0 }
active proctype q() { skip }
