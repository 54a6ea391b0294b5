/* A trace over receives. */
mtype = { a, b };
chan c = [2] of { mtype }; chan d = [1] of { mtype };
active proctype p() { c!a; d!b; c!b }
active proctype q() { c?a; d?b; c?b }
trace { c?a; c?b }
