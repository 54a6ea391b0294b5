/* Two options with the same effect are two edges. */
byte x;
active [2] proctype p() { if :: x = 1 :: x = 1 :: x = 2 fi }
