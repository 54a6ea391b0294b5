/* `select` with macros as bounds: seen after expansion. */
#define LO 2
#define HI 4
byte v;
active proctype p() { select(v : LO .. HI); v = 0 }
active proctype q() { skip }
