/* priority and provided in the right order. */
byte x;
active proctype p() priority 2 provided (x == 0) { x = 1 ; x = 2 }
active proctype q() { x = 0 }
