/* `break` inside `for`. */
byte i, j, s;
active proctype p() { for (i : 0 .. 2) { for (j : 0 .. 5) { if :: j == i -> break :: else -> s++ fi } }; assert(s == 3) }
