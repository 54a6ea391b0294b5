/* `??` takes the first message that matches, wherever it is. */
chan c = [4] of { byte, byte };
active proctype p() { byte x; c!1,10; c!2,20; c!1,30; c??2,x; assert(x == 20); c??1,x; assert(x == 10); c??1,x; assert(x == 30 && len(c) == 0) }
