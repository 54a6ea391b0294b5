/* An atomic is entered only when its first statement is executable. */
byte x;
active [3] proctype p() { atomic { x < 2 -> x++ }; x = x }
