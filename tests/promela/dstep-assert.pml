/* A failing assertion in a d_step. */
byte x;
active [2] proctype p() { d_step { x++; assert(x < 2); x++ } }
