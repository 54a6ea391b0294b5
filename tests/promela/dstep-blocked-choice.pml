/* A choice without executable option inside a d_step is a fault. */
byte x;
active proctype p() { d_step { x = 1; if :: x == 2 -> x = 3 :: x == 4 fi } }
