/* Bounds of `for` are expressions, evaluated each round. */
byte i, n = 2, s;
active proctype p() { for (i : n - 1 .. n + 1) { s++ ; if :: s == 1 -> n = 3 :: else fi }; assert(s == 4) }
