/* A loop inside an atomic sequence. */
byte x;
active [2] proctype p() { byte i; atomic { do :: i < 3 -> i++; x++ :: else -> break od; i = 0 } }
