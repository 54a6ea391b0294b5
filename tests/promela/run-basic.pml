/* run creates a process; its number is the value of the expression. */
byte a, b;
proctype p(byte n) { a = a + n }
init { pid q; q = run p(3); assert(q == 1); b = run p(4); assert(b == 2); (_nr_pr == 1); assert(a == 7) }
