/* `??<>` copies the first message that matches. */
chan c = [3] of { byte, byte };
active proctype p() { byte x; c!1,5; c!2,6; c??<2,x>; assert(x == 6 && len(c) == 2); c??2,x; c?1,x; assert(x == 5) }
