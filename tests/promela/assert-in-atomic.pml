/* A failing assertion inside an atomic sequence that then blocks. */
byte x;
active [2] proctype p() { atomic { x++; assert(x != 2); x == 1 || x == 5; x = x } }
