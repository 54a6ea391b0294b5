/* An index out of range, written. */
byte a[2], i;
active proctype p() { do :: i < 3 -> a[i] = 1; i++ :: else -> break od }
