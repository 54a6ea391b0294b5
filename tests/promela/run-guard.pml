/* run as a guard. */
proctype p() { skip }
init { if :: run p() -> skip :: run p() fi }
