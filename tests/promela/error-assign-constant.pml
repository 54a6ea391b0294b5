/* Assigning to a constant. */
mtype = { a };
active proctype p() { a = 2 }
