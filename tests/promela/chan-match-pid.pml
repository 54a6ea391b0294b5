/* eval(_pid): messages addressed to a process. */
chan c = [2] of { byte, byte };
active [2] proctype p() { byte x; c!1 - _pid, 7; c??eval(_pid), x; assert(x == 7) }
