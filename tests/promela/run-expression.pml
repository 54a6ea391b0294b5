/* run inside a larger expression. */
byte a;
proctype p() { skip }
init { a = run p() + 1; assert(a == 2) }
