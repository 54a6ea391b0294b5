/* A trace that the system follows. Its loop carries an `end` label: where it stands must be a valid end too. */
mtype = { a, b };
chan c = [1] of { mtype };
active proctype p() { c!a; c!b; c!a; c!b }
active proctype q() { end: do :: c?_ od }
trace { end: do :: c!a; c!b od }
