/* A local declared twice. */
active proctype p() { byte x; byte x; x = 1 }
