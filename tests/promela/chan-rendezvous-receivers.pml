/* Three receivers compete for one message. */
chan c = [0] of { byte }; byte got;
active proctype p() { c!7 }
active [3] proctype q() { byte x; end: c?x; got = _pid }
