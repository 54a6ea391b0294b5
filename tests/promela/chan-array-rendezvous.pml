/* An array of rendezvous channels. */
chan c[2] = [0] of { byte };
active [2] proctype p() { byte x; if :: c[_pid]!5 :: c[1 - _pid]?x fi }
