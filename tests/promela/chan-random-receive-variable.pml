/* `??` with variables only behaves like `?`. */
chan c = [3] of { byte };
active proctype p() { byte x; c!3; c!1; c??x; assert(x == 3); c??x; assert(x == 1) }
