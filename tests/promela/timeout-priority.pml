/* timeout among processes of different priorities. */
byte x;
active proctype p() priority 1 { timeout -> x = 1 }
active proctype q() priority 3 { timeout -> x = 2 }
