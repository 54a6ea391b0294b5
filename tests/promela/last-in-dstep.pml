/* Inside a d_step _last is still the process that moved before it. */
byte z;
active proctype p() { byte x; d_step { skip; x = _last + 1; if :: _last != 0 -> x = x + 10 :: else fi } }
active proctype q() { z = 1 }
