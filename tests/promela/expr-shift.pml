/* Shifts, also of negative numbers. */
int r;
active proctype p() { r = 1 << 31; assert(r < 0); r = -8 >> 1; assert(r == -4); r = 255 >> 4; assert(r == 15); r = 1 << 8; assert(r == 256) }
