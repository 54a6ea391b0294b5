/* Locals initialised from globals and other locals, at creation. */
byte g = 3;
active proctype p() { byte a = g + 1; byte b = a * 2; g = b; assert(g == 8) }
active proctype q() { g = 0 }
