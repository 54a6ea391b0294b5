/* `skip`, `true` and a constant are steps. */
active proctype p() { skip; true; 1; !false; (2 > 1) }
