/* An unknown type. */
word x;
active proctype p() { x = 1 }
