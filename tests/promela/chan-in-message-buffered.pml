/* A channel in a buffered message. */
chan post = [1] of { chan };
active proctype p() { chan c = [1] of { byte }; chan d; byte x; post!c; post?d; d!8; c?x; assert(x == 8) }
