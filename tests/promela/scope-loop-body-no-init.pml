/* A declaration without initialiser inside a loop keeps its value. */
byte g;
active proctype p() { do :: g < 3 -> byte t; t++; g = t :: else -> break od; assert(g == 3) }
