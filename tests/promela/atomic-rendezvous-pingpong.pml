/* Control goes back and forth between two atomic sequences. */
chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
active proctype p() { atomic { a!1; b?_; x++; a!2; b?_; x++ } }
active proctype q() { atomic { a?_; x = 5; b!1; a?_; x = 6; b!2 } }
active proctype r() { x = 20 }
