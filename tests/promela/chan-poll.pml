/* `?[]` tests without taking. */
chan c = [2] of { byte, byte };
active proctype p() { byte x; assert(!c?[1,2]); c!1,2; assert(c?[1,2] && !c?[2,2]); assert(c?[1,_]); c!3,4; assert(!c?[3,4]); (c?[eval(x + 1),2]) -> c?x,_; assert(x == 1) }
