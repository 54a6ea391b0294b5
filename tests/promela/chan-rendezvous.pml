/* A rendezvous is one step of two processes. */
chan c = [0] of { byte };
active proctype p() { c!1; c!2 }
active proctype q() { byte x; c?x; c?x; assert(x == 2) }
