/* SPIN refuses a negated full or empty. */
chan c = [1] of { byte };
active proctype p() { !full(c); c!1 }
