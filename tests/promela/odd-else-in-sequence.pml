/* else after another statement of an option: SPIN takes it as always executable. */
byte x;
active proctype p() { if :: x = 1; else -> x = 2 fi }
