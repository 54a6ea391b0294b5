/* An array of channels. */
chan c[3] = [1] of { byte };
active proctype p() { byte i; for (i in c) { c[i]!i }; i = 1; c[i]?i; assert(i == 1); c[2]?i; assert(i == 2 && len(c[0]) == 1) }
