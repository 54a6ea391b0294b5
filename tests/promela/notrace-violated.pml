/* A forbidden sequence that happens. */
mtype = { a, b };
chan c = [2] of { mtype };
active proctype p() { if :: c!a :: c!b fi; c!b }
notrace { c!a; c!b }
