/* The escape is executable at once: the main sequence never starts. */
byte x;
active proctype p() { { x = 1; x = 2 } unless { skip; x = 10 }; x = 11 }
