/* A label twice. */
byte x;
active proctype p() { a: x = 1; a: x = 2; goto a }
