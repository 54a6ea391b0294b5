/* Receiving into array elements and record fields. */
typedef R { byte x; byte y };
R r; byte a[3];
chan c = [1] of { byte, byte };
active proctype p() { byte i = 2; c!7,8; c?a[i], r.y; assert(a[2] == 7 && r.y == 8) }
