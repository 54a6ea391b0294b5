/* A channel variable without channel, then with one. */
chan a = [2] of { byte }; chan b;
active proctype p() { byte x; b = a; b!3; a?x; assert(x == 3 && a == b) }
