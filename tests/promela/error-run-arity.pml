/* Too few arguments for run. */
proctype p(byte a; byte b) { skip }
init { run p(1) }
