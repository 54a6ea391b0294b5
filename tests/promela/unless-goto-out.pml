/* A jump leaves the scope of the escape. */
byte x;
active proctype p() { { x = 1; goto out } unless { x == 9 -> x = 10 }; out: x = 2; x = 3 }
active proctype q() { x = 9 }
