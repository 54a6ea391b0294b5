/* A remote reference to an unknown process. */
active proctype p() { nobody@here }
