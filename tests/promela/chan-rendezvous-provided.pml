/* A receiver whose provided clause is false is no partner. */
chan c = [0] of { byte }; bool ok;
active proctype p() { c!1 }
active proctype q() provided (ok) { c?_ }
active proctype r() { skip; ok = true }
