/* A trace only watches the channels and directions it names. */
mtype = { a, b };
chan c = [1] of { mtype }; chan d = [1] of { mtype };
active proctype p() { c!a; d!a; d?a; c?a; c!b; c?_ }
trace { end: do :: c!a :: c!b od }
