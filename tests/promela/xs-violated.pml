/* Another process sends to a claimed channel. A raw search does not look at such claims. */
chan c = [2] of { byte };
active proctype p() { xs c; c!1 }
active proctype q() { c!2 }
