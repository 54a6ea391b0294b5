/* The receiver is inside an atomic sequence: it goes on atomically after the handshake. */
chan c = [0] of { byte }; byte x;
active proctype p() { x = 1; c!1; x = 2 }
active proctype q() { byte y; atomic { c?y; x = 10; x = 11 } }
active proctype r() { x = 20 }
