/* An inline with break inside. */
byte x;
inline body() { x++; if :: x > 2 -> break :: else fi }
active proctype p() { do :: body() od; assert(x == 3) }
