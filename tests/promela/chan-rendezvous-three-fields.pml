/* Several fields, several types. */
mtype = { a, b };
chan c = [0] of { mtype, byte, bool, int };
active proctype p() { c!b(300, true, -1) }
active proctype q() { mtype m; byte x; bool y; int z; c?m(x, y, z); assert(m == b && x == 44 && y && z == -1) }
