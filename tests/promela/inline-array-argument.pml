/* An array element as argument; the index is evaluated each time. */
byte a[3], i;
inline inc(v) { v++; i++; v++ }
active proctype p() { inc(a[i]); assert(a[0] == 1 && a[1] == 1) }
