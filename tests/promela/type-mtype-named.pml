/* Named mtype sets are separate. */
mtype:fruit = { apple, pear };
mtype:colour = { red };
mtype:fruit f = pear; mtype:colour k;
active proctype p() { k = red; f = apple; assert(f == 2 && k == 1) }
