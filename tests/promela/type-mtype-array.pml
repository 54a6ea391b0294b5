/* Arrays of mtype, and mtype in records. */
mtype = { idle, busy };
typedef S { mtype m; byte n };
mtype a[2] = idle; S s;
active proctype p() { a[1] = busy; s.m = a[1]; assert(s.m == busy && a[0] == idle) }
