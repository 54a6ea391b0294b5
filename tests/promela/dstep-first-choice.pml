/* A d_step that begins with a choice: one way in, the first executable option. */
byte x;
active proctype p() { d_step { if :: x == 9 -> x = 10 :: x == 0 -> x = 1 :: x == 0 -> x = 2 fi; x++ } }
active proctype q() { x = x }
