/* STDIN must be declared. */
active proctype p() { byte c; if :: STDIN?c -> skip :: true fi }
