/* Channel variables in an array, exchanged. */
chan a = [1] of { byte }; chan b = [1] of { byte }; chan t;
active proctype p() { byte x; t = a; a = b; b = t; a!1; assert(len(t) == 0); t!2; b?x; assert(x == 2) }
