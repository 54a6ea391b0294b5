/* A low atomic sequence that wakes a high process. */
byte x;
active proctype p() priority 1 { atomic { x = 1; x = 2; x = 3 }; x = 4 }
active proctype q() priority 5 { x == 2 || x == 3 -> x = 9 }
