/* A rendezvous send inside an atomic sequence hands control over: the atomicity of the sender ends. */
chan c = [0] of { byte }; byte x;
active proctype p() { atomic { x = 1; c!1; x = 2; x = 3 } }
active proctype q() { byte y; c?y; x = 10; x = 11 }
active proctype r() { x = 20 }
