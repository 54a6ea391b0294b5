/* Macros without parameters, and one that names another. */
#define N 3
#define M (N + 1)
byte x;
active proctype p() { x = M; assert(x == N + 1) }
