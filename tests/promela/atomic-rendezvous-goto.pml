/* A rendezvous send gives control away just before a jump out of its atomic sequence. */
chan c = [0] of { byte }; byte x;
active proctype p() { byte y; atomic { c!2; goto out }; y = 3; out: y = 4 }
active proctype q() { atomic { c?x; x = 3 }; x = 9 }
