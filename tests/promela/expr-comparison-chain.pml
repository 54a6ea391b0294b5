/* Comparisons give 0 or 1 and can be compared. */
byte x = 3;
active proctype p() { assert((x > 2) + (x < 5) == 2); assert(1 < 2 < 3); assert(3 > 2 > 1 == 0) }
