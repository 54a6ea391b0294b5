/* A D_proctype is a proctype. */
byte x;
D_proctype p() { x++ }
active D_proctype q() { x++; x++ }
init { run p() }
