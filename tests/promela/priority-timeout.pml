/* timeout and priorities. */
byte x;
active proctype p() priority 9 { timeout -> x = 1 }
active proctype q() priority 1 { x = 2; x = 3 }
