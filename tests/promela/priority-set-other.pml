/* One process changes the priority of another one. */
byte x;
active proctype p() priority 2 { set_priority(1, 9); x++; x++ }
active proctype q() priority 1 { x = 5; set_priority(_pid, 1); x = 6 }
