/* A local index. */
byte s;
active [2] proctype p() { byte i; for (i : 0 .. 1) { s++ } }
