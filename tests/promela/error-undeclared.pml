/* An undeclared variable. */
active proctype p() { x = 1 }
