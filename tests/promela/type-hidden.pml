/* A hidden variable is not part of the state. */
hidden byte h; byte x;
active proctype p() { do :: x < 2 -> h = x; x = h + 1 :: else -> break od }
