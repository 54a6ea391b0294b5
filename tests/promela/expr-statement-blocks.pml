/* A constant false statement blocks for ever. */
active proctype p() { skip; false }
