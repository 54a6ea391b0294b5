/* printf and locals in a d_step. */
active proctype p() { byte y; d_step { y = 2; printf("y %d\n", y); y = y * y }; assert(y == 4) }
