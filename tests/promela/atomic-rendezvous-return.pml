/* The receiver's atomic ends; the sender does not get its atomicity back by itself. */
chan c = [0] of { byte }; byte x;
active proctype p() { atomic { c!1; x = 2; x = 3; x = 4 } }
active proctype q() { atomic { c?1; x = 10 }; x = 11 }
active proctype r() { x = 20; x = 21 }
