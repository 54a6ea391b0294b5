/* Local records. */
typedef R { byte a; byte b[2] };
byte g;
active [2] proctype p() { R r; r.a = _pid; r.b[1] = r.a + 1; g = r.b[1] }
