/* _last is the process that moved last, and part of the state when mentioned. */
byte x;
active [2] proctype p() { x = 1; x = _last }
