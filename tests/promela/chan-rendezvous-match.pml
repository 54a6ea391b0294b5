/* Constants in a rendezvous receive select the partner. */
mtype = { red, green };
chan c = [0] of { mtype, byte }; byte n;
active proctype p() { c!green(1) }
active proctype q() { end: c?red(n) }
active proctype r() { c?green(n) }
