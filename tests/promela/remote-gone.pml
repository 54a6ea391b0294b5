/* The process referred to is gone. */
byte x;
proctype p() { byte v; v = 7; at: skip }
init { pid n; n = run p(); skip; if :: p[n]@at -> x = 1 :: else -> x = 2 fi; x = 3 }
