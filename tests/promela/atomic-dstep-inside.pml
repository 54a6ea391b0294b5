/* A d_step inside an atomic sequence. */
byte x;
active [2] proctype p() { atomic { x = 1; d_step { x = 2; x = 3 }; x = 4 }; x = 5 }
