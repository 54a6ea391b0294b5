/* Processes created and gone again: numbers are reused. */
byte x;
proctype p() { x = _pid }
init { run p(); (_nr_pr == 1); run p(); (_nr_pr == 1); assert(x == 1) }
