/* provided must come after priority. */
byte x;
active proctype p() provided (x == 0) priority 2 { x = 1 }
active proctype q() { x = 0 }
