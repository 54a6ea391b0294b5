/* `_` drops a field. */
chan c = [2] of { byte, byte };
active proctype p() { byte x; c!1,2; c!3,4; c?_,x; c?x,_; assert(x == 3) }
