/* active with a count from a macro. */
#define N 3
byte x[N];
active [N] proctype p() { x[_pid] = _pid + 1 }
