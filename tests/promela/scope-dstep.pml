/* Declarations inside a d_step. */
byte g;
active [2] proctype p() { d_step { byte a = 2; a++; g = g + a } }
