/* A declaration inside a loop is a step also without initialiser: it sets the variable to 0. */
byte g;
active proctype p() { do :: g < 3 -> byte t; t++; g = t :: else -> break od; assert(g == 3) }
