/* Macros with parameters. */
#define SQUARE(a) ((a) * (a))
#define MAX(a, b) ((a) > (b) -> (a) : (b))
byte x;
active proctype p() { x = SQUARE(3 + 1); assert(x == 16); x = MAX(x, 20); assert(x == 20) }
