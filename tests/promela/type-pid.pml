/* pid is an unsigned byte. */
pid p1 = 255;
active proctype p() { p1++; assert(p1 == 0) }
