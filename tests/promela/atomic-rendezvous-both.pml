/* Both sides of the handshake are inside atomic sequences. */
chan c = [0] of { byte }; byte x;
active proctype p() { atomic { x = 1; c!1; x = 2; x = 3 } }
active proctype q() { byte y; atomic { y = 5; c?y; x = 10; x = 11 } }
active proctype r() { x = 20 }
