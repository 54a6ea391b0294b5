/* Joining names. */
#define VAR(n) v ## n
byte VAR(1), VAR(2);
active proctype p() { VAR(1) = 2; v2 = v1; assert(VAR(2) == 2) }
