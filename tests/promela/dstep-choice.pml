/* A choice in a d_step takes the first executable option. */
byte x;
active proctype p() { d_step { if :: x = 1 :: x = 2 fi; if :: x == 5 -> x = 6 :: x = x + 3 fi }; assert(x == 4) }
