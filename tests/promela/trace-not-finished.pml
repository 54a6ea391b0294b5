/* The system follows the trace but does not finish it. No process is left at the end, so SPIN finds nothing wrong. */
mtype = { a, b };
chan c = [2] of { mtype };
active proctype p() { c!a }
trace { c!a; c!b }
