/* The process with that number is of another type. */
byte x;
active proctype p() { here: skip; false }
active proctype q() { there: skip; if :: p[1]@here -> x = 1 :: else -> x = 2 fi }
