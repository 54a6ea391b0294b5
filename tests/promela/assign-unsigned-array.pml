/* Unsigned fields of several widths in one record. */
typedef T { unsigned a : 2; unsigned b : 5; unsigned c : 9 };
T t;
active proctype p() { t.a = 5; t.b = 33; t.c = 513; assert(t.a == 1 && t.b == 1 && t.c == 1); t.c = 511; t.c++; assert(t.c == 0) }
