/* `!!` keeps messages sorted. */
chan c = [4] of { byte, byte };
active proctype p() { byte x, y; c!!3,1; c!!1,9; c!!2,5; c!!1,4; c?x,y; assert(x == 1 && y == 4); c?x,y; assert(x == 1 && y == 9); c?x,y; assert(x == 2); c?x,y; assert(x == 3) }
