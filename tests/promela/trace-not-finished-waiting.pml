/* As trace-not-finished, but a process is left, waiting where it may: now the unfinished trace is an invalid end. */
mtype = { a, b };
chan c = [2] of { mtype };
active proctype p() { c!a; end: c?b }
trace { c!a; c!b }
