/* A local array, initialised by an expression over a parameter. */
byte g;
proctype p(byte n) { byte a[2] = n + 1; g = a[0] + a[1] }
init { run p(2) }
