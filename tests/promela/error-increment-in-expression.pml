/* x++ is a statement, not an expression. */
byte x, y;
active proctype p() { y = x++ }
