/* A provided clause that becomes false inside a d_step. */
bit ok = 1; byte x;
active proctype p() provided (ok) { d_step { x = 1; ok = 0; x = 2 }; x = 3 }
active proctype q() { !ok; ok = 1 }
