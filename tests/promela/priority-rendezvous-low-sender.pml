/* The sender has the lower priority. */
chan c = [0] of { byte }; byte x;
active proctype p() priority 1 { x = 5; c!1; x = 1 }
active proctype q() priority 9 { c?_; x = 3 }
active proctype r() priority 5 { x = 4; x = 6 }
