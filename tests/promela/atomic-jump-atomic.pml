/* A jump from one atomic sequence into another one. */
byte x;
active proctype p() { atomic { x = 1; goto two }; x = 9; atomic { x = 2; two: x = 3; x = 4 } }
active proctype q() { byte y; y = x; y = x }
