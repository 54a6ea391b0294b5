/* A d_step of one statement. */
byte x;
active [2] proctype p() { d_step { x++ } }
