/* Atomic inside atomic. */
byte x;
active [2] proctype p() { atomic { x = 1; atomic { x = 2; x = 3 }; x = 4 }; x = 5 }
