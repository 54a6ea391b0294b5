/* The two ways of writing arguments. */
mtype = { m };
chan c = [2] of { mtype, byte, byte };
active proctype p() { byte x, y; c!m(1,2); c!m,3,4; c?m,x,y; assert(x == 1); c?m(x,y); assert(y == 4) }
