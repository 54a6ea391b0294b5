/* Declarations inside an atomic sequence. */
byte g;
active [2] proctype p() { atomic { byte a = 2; a++; g = g + a } }
