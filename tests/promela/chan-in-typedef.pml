/* A channel in a record. */
typedef Port { chan in; byte count };
Port p[2]; chan c = [1] of { byte };
active proctype q() { byte x; p[1].in = c; p[1].in!4; c?x; p[1].count = x; assert(p[1].count == 4) }
