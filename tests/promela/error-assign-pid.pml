/* _pid can't be assigned. */
active proctype p() { _pid = 3 }
