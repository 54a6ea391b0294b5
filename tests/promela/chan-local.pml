/* A local channel disappears with its process. */
byte n;
proctype p() { chan c = [1] of { byte }; byte x; c!3; c?x; n = n + x }
init { run p(); run p(); (_nr_pr == 1); assert(n == 6) }
