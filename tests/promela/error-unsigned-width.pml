/* unsigned of 33 bits. */
unsigned u : 33;
active proctype p() { u = 1 }
