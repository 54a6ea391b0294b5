/* A forbidden sequence that does not happen. Where the automaton stands at the end counts like a process. */
mtype = { a, b };
chan c = [2] of { mtype };
active proctype p() { c!a; c!b }
active proctype q() { end: do :: c?_ od }
notrace { end: do :: c!b; c!a; break :: c!a od }
