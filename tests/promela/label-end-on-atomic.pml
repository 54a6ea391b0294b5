/* An `end` label on an atomic sequence: waiting at its guard is a valid end. */
byte x;
active proctype p() { end: atomic { x == 9 -> x = 1 } }
