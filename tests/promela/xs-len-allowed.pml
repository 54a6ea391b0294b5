/* Looking at a claimed channel in other ways. */
chan c = [2] of { byte };
active proctype p() { xs c; c!1 }
active proctype q() { xr c; nempty(c); c?_ }
