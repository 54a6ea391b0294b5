/* Two mtype declarations are one set. */
mtype = { a, b };
mtype { c };
mtype m;
active proctype p() { m = c; assert(m != a && m != b); m = a; printm(m) }
