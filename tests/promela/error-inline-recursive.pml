/* An inline that calls itself. */
byte x;
inline f(a) { f(a) }
active proctype p() { f(x) }
