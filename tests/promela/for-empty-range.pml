/* Constant bounds the wrong way round are refused. */
byte i, s;
active proctype p() { for (i : 5 .. 2) { s++ }; assert(s == 0) }
