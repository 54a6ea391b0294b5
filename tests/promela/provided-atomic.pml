/* A provided clause that becomes false inside an atomic sequence. */
bit ok = 1; byte x;
active proctype p() provided (ok) { atomic { x = 1; ok = 0; x = 2; x = 3 } }
active proctype q() { x == 1 || !ok; ok = 1 }
