/* An inline call inside an atomic sequence. */
byte x;
inline step() { x++; x++ }
active [2] proctype p() { atomic { step(); step() } }
