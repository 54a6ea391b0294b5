/* A trace over a rendezvous channel. */
mtype = { a, b };
chan c = [0] of { mtype, byte };
active proctype p() { c!a(1); c!b(2) }
active proctype q() { byte x; c?a(x); c?b(x) }
trace { c!a(1); c!b(_) }
