/* Local channel variables that name global channels. */
chan g[2] = [1] of { byte };
active [2] proctype p() { chan in = g[_pid]; chan out = g[1 - _pid]; byte x; out!_pid; in?x; assert(x == 1 - _pid) }
