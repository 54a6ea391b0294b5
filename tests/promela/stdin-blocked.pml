/* Reading STDIN works in SPIN's simulator only; its verifier sees a channel that was never created. */
chan STDIN;
active proctype p() { byte c; if :: STDIN?c -> skip :: true fi }
