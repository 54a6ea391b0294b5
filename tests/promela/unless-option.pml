/* unless as an option of a choice. */
byte x;
active proctype p() { do :: { x == 0; x = 1 } unless { x == 3 -> x = 4 } :: x == 1 -> x = 3 :: x == 4 -> break od }
