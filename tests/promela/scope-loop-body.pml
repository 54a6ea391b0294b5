/* A declaration with initialiser inside a loop is executed each round. */
byte g;
active proctype p() { do :: g < 3 -> byte t = 1; t++; g = g + t :: else -> break od }
