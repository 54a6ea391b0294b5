/* An array of local channels. */
active proctype p() { chan c[2] = [1] of { byte }; byte x; c[1]!2; c[0]!1; c[1]?x; c[0]?x; assert(x == 1) }
