/* A provided clause with _pid. */
byte turn;
active [3] proctype p() provided (turn == _pid) { turn = (turn + 1) % 3; turn = (turn + 1) % 3 }
