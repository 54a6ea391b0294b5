/* Expressions, conditional ones too, as arguments. */
chan c = [2] of { int };
active proctype p() { int x = 3; c!x * x + 1; c!(x > 2 -> 1 : 0); c?x; assert(x == 10); c?x; assert(x == 1) }
