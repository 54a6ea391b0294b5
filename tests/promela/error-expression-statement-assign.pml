/* Assignment inside an expression. */
byte x;
active proctype p() { (x = 1) }
