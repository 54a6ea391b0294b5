/* Division and remainder round towards zero. */
int r;
active proctype p() { r = -7; assert(r / 2 == -3 && r % 2 == -1 && 7 / -2 == -3 && 7 % -2 == 1); r = r % 4; assert(r == -3) }
