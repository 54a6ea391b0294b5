/* More than 255 processes. */
proctype p() { do :: run p() od }
init { run p() }
