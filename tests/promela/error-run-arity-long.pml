/* Too many arguments for run. */
proctype p(byte a) { skip }
init { run p(1, 2) }
