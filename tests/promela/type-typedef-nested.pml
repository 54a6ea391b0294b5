/* Records in records in arrays. */
typedef In { byte a; bit b[2] };
typedef Out { In x; In y[2]; short n };
Out o[2];
active proctype p() { byte i = 1; o[i].y[i].b[i] = 1; o[0].x.a = o[1].y[1].b[1] + 4; assert(o[0].x.a == 5); o[1].n = -7; assert(o[1].n < 0 && o[0].n == 0) }
