/* set_priority and get_priority. */
byte x;
active proctype p() priority 1 { x = 1; set_priority(0, 10); x = 2; x = get_priority(0); assert(x == 10); set_priority(_pid, 1); x = 0 }
active proctype q() priority 5 { x == 1; x = 3; x = 4 }
