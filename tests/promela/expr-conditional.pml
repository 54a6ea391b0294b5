/* Conditional expressions, nested. */
byte x = 2, y;
active proctype p() { y = ( x > 1 -> ( x > 5 -> 1 : 2 ) : 3 ); assert(y == 2); ( x == 2 -> y == 2 : y == 9 ) -> y = ( y -> 7 : 8 ); assert(y == 7) }
