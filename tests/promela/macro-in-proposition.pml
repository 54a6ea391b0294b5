/* Macros as propositions. */
#define p1 (x > 0)
#define q1 (x < 5)
byte x;
active proctype p() { do :: p1 && q1 -> x++ :: !p1 -> x++ :: !q1 -> break od }
