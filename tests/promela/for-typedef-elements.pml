/* `for` over an array of records. */
typedef R { byte a; byte n };
R r[3]; byte i;
active proctype p() { for (i in r) { r[i].a = i; r[0].n++ }; assert(r[0].n == 3) }
