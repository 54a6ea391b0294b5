/* An unknown symbolic constant. */
mtype = { a };
mtype m = b;
active proctype p() { m = a }
