/* Two ways through an atomic that end in the same state are two edges. */
byte x;
active [2] proctype p() { atomic { if :: x = 1 :: x = 2 fi; x = 3 } }
