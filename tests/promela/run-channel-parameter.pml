/* Channels as parameters. */
proctype p(chan c; byte v) { c!v }
init { chan c = [2] of { byte }; byte x; run p(c, 5); run p(c, 6); c?x; c?x; assert(x == 5 || x == 6) }
