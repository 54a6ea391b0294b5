/* break outside a loop. */
active proctype p() { break }
