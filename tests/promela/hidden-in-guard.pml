/* A hidden variable read after a stored state. */
hidden byte h; byte x;
active proctype p() { h = 3; x = h; x = 0 }
