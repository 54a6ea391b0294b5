/* A channel outlives nothing: when its process is gone, its number may be used by another one. */
chan keep; byte n;
proctype p(byte v) { chan c = [1] of { byte }; keep = c; c!v }
init { run p(1); (_nr_pr == 1); run p(2); (_nr_pr == 1); n = 1 }
