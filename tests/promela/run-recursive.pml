/* Processes that create processes. */
byte n;
proctype p(byte d) { n++; if :: d > 0 -> run p(d - 1); run p(d - 1) :: else fi }
init { run p(1) }
