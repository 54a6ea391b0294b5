/* The receive is the guard of a d_step. */
chan c = [0] of { byte }; byte x;
active proctype p() { atomic { x = 1; c!5; x = 2 }; x = 3 }
active proctype q() { byte y; d_step { c?y -> x = 10; x = y + 10 }; x = 11 }
active proctype r() { skip }
