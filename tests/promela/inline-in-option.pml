/* An inline call as an option. */
byte x;
inline take(n) { x == n -> x = n + 1 }
active proctype p() { do :: take(0) :: take(1) :: take(2); break od }
