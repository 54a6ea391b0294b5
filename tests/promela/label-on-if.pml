/* Labels on compound statements. */
byte x;
active proctype p() { L: if :: x < 2 -> x++; goto L :: else -> goto M fi; M: do :: x > 0 -> x-- :: else -> goto N od; N: { x = 7; x = 8 } }
