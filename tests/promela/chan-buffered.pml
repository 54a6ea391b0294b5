/* A buffered channel of two places. */
chan c = [2] of { byte };
active proctype p() { c!1; c!2; c!3 }
active proctype q() { byte x; c?x; c?x; c?x; assert(x == 3) }
