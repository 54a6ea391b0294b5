/* Whole records can't be assigned. */
typedef R { byte a; byte b };
R r, s;
active proctype p() { r.a = 1; r.b = 2; s = r; assert(s.b == 2) }
