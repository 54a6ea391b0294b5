/* A d_step that begins with a choice with else. */
byte x;
active [2] proctype p() { d_step { if :: x == 1 -> x = 5 :: else -> x++ fi; x = x } }
