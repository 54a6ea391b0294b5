/* `for` over an array field of a record is refused. */
typedef R { byte a[3]; byte n };
R r; byte i;
active proctype p() { for (i in r.a) { r.a[i] = i; r.n++ }; assert(r.n == 3) }
