/* A value is cut off when it is put into a field. */
chan c = [2] of { byte, bit };
active proctype p() { int x, y; c!257, 2; c?x, y; assert(x == 1 && y == 0); c!-1, 3; c?x, y; assert(x == 255 && y == 1) }
