/* Creating processes in an atomic sequence. */
byte x;
proctype q(byte n) { x = x + n }
init { atomic { run q(1); run q(2); run q(3) }; (_nr_pr == 1); assert(x <= 6) }
