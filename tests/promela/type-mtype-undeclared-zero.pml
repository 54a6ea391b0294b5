/* An mtype variable starts as 0, which is no constant. */
mtype = { a };
mtype m;
active proctype p() { if :: m == a -> assert(false) :: else fi; m = a }
