/* Character constants are numbers. */
byte x = 'a';
active proctype p() { x++; assert(x == 'b'); if :: x == 'b' -> x = '0' fi; assert(x == 48) }
