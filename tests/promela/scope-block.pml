/* A name may not be declared again in an inner block while an outer one is visible. */
byte x = 1;
active proctype p() { byte y = 2; { byte x = 3; y = x; x = 9 }; assert(y == 3 && x == 1) }
