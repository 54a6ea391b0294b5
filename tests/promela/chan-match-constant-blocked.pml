/* A constant that does not match blocks the receive. */
mtype = { a, b };
chan c = [2] of { mtype };
active proctype p() { c!a; c?b }
