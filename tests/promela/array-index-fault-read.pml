/* An index out of range, read in a guard. */
byte a[2]; byte i = 2;
active proctype p() { if :: a[i] == 0 -> skip :: else fi }
