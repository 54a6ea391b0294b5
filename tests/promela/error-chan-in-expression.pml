/* Arithmetic on a channel is refused. */
chan c = [1] of { byte };
active proctype p() { byte x; x = c + 1; x = 0 }
