/* Equal priorities interleave. */
byte x;
active [2] proctype p() priority 2 { x++; x++ }
active proctype q() priority 1 { x = 0 }
