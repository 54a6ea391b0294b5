/* Fields with initialisers. */
typedef R { byte a = 3; byte b; short c = -1 };
R r; R s[2];
active proctype p() { assert(r.a == 3 && r.c == -1 && s[1].a == 3); r.a = 0 }
