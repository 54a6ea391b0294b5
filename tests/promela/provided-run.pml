/* provided on a process created with run. */
bit ok; byte x;
proctype p() provided (ok) { x++ }
init { run p(); run p(); ok = 1 }
