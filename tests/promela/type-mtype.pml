/* mtype constants are numbered from the last to the first; the numbers are visible. */
mtype = { one, two, three };
mtype m = two;
active proctype p() { m = three; assert(m == three && m == 1 && one == 3); m = 0; assert(m == 0) }
