/* Two senders compete for one receiver. */
chan c = [0] of { byte };
active [2] proctype p() { end: c!_pid }
active proctype q() { byte x; c?x; assert(x == 0 || x == 1) }
