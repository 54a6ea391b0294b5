/* Another process sends to a claimed channel. */
chan c = [2] of { byte };
active proctype p() { xs c; c!1 }
active proctype q() { c!2 }
