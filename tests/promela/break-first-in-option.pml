/* `break` as the first statement of an option is a step; after another statement it is not. */
byte x;
active proctype p() { do :: x < 2 -> x++ :: break od; do :: x > 0 -> x--; break od }
active proctype q() { x = x }
