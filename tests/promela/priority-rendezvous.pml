/* A rendezvous in a model with priorities: SPIN's verifier does not compile. */
chan c = [0] of { byte }; byte x;
active proctype p() priority 9 { c!1; x = 1 }
active proctype q() priority 1 { x = 2; c?_; x = 3 }
active proctype r() priority 5 { x = 4 }
