/* An array of records with an array inside. */
typedef R { byte x; byte y[2] };
R r[2];
active proctype p() { r[1].y[1] = 3; r[0].x = r[1].y[1]; assert(r[0].x == 3 && r[1].y[0] == 0) }
