/* unless between single statements, without braces around the main part. */
byte x;
active proctype p() { { x == 1 -> x = 2 } unless (x == 3); x = 4 }
active proctype q() { x = 1; x = 3 }
