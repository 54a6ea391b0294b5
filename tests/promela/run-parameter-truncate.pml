/* Arguments are cut off to the parameter's type. */
proctype p(byte a; bit b; short c) { assert(a == 1 && b == 1 && c == -1) }
init { run p(257, 3, 65535) }
