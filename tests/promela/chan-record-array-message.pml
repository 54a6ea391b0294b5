/* A record with an array inside as message. */
typedef M { byte a[2]; bit b };
chan c = [2] of { M };
active proctype p() { M m, n; m.a[0] = 1; m.a[1] = 2; m.b = 1; c!m; c?n; assert(n.a[0] == 1 && n.a[1] == 2 && n.b == 1) }
