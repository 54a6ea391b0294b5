/* np_ outside a claim is refused. */
byte x;
active proctype p() { progress: x = 1; x = 2 }
active proctype q() { if :: np_ -> x = 5 :: else -> skip fi }
