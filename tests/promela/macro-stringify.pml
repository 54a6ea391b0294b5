/* Macros and strings. */
#define SHOW(v) printf("%s\n", #v)
byte x;
active proctype p() { printf("N stays N\n"); x = 1 }
