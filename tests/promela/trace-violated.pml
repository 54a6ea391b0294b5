/* A trace that the system leaves. */
mtype = { a, b };
chan c = [2] of { mtype };
active proctype p() { c!a; c!a }
active proctype q() { end: do :: c?_ od }
trace { do :: c!a; c!b od }
