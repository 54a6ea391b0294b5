/* Channels travel in messages. */
chan server = [0] of { chan, byte };
active proctype s() { chan reply; byte x; end: do :: server?reply, x; reply!x + 1 od }
active [2] proctype c() { chan mine = [0] of { byte }; byte x; server!mine, _pid; mine?x; assert(x == _pid + 1) }
