/* Exclusive claims that hold. */
chan c = [1] of { byte };
active proctype p() { xs c; c!1; c!2 }
active proctype q() { xr c; byte x; c?x; c?x }
