/* Two processes wait for timeout: each may go. */
byte x;
active [2] proctype p() { timeout -> x++; timeout -> x++ }
