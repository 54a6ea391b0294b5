/* Buffered channel operations in a d_step. */
chan c = [2] of { byte };
active [2] proctype p() { byte y; d_step { c!1; c?y; y = 0 } }
