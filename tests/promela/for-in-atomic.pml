/* for inside an atomic sequence. */
byte s;
active [2] proctype p() { byte i; atomic { for (i : 1 .. 3) { s = s + i } } }
