/* break out of the main sequence. */
byte x;
active proctype p() { { do :: x < 2 -> x++ :: else -> break od } unless { x == 1 -> x = 9; x = 0 }; x = 4 }
