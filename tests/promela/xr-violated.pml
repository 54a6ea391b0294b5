/* Another process receives from a claimed channel. A raw search does not look at such claims. */
chan c = [1] of { byte };
active proctype p() { c!1; c!2 }
active proctype q() { xr c; c?_ }
active proctype r() { c?_ }
