/* A number beyond 32 bits: SPIN cuts it off silently. */
int x;
active proctype p() { x = 99999999999; x = 0 }
