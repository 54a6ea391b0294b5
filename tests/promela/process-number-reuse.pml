/* A number becomes free only when all younger processes are gone. */
byte last;
proctype p() { last = _pid }
init { pid a, b; a = run p(); b = run p(); assert(b == 2 || b == 1); (_nr_pr == 1) }
