/* The variable _priority. */
byte x;
active proctype p() priority 3 { x = _priority; assert(x == 3); _priority = 1; x = _priority; assert(x == 1) }
active proctype q() priority 2 { x = 7 }
