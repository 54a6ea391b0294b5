/* The provided clause also governs the removal of a finished process. */
bit ok;
active proctype p() { ok = 1; ok = 0 }
active proctype q() provided (ok == 1) { skip; skip }
