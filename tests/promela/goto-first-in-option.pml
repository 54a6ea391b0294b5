/* `goto` as the first statement of an option is a step. */
byte x;
active proctype p() { again: if :: x < 2 -> x++; goto again :: goto done fi; x = 5; done: x = 0 }
active proctype q() { x = x }
