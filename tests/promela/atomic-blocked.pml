/* An atomic that blocks in the middle gives up control until it can go on. */
byte x;
active proctype p() { atomic { x = 1; x == 2; x = 3; x = 4 }; x = 5 }
active proctype q() { x == 1; x = 2; x = 2 }
