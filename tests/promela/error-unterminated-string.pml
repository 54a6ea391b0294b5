/* A string without end. */
active proctype p() { printf("abc) }
