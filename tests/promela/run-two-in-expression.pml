/* Two runs in one expression are refused. */
proctype p() { skip }
init { (run p() && run p()) }
