/* A record as message: its fields are the fields of the message. */
typedef M { byte a; byte b };
chan c = [2] of { M, byte };
active proctype p() { M m, n; byte x; m.a = 1; m.b = 2; c!m, 3; c?n, x; assert(n.a == 1 && n.b == 2 && x == 3) }
