/* printf inside an atomic sequence. */
byte x;
active [2] proctype p() { atomic { printf("in %d\n", _pid); x++; printf("out\n") } }
