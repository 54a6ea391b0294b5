/* Two atomic sequences take turns. */
bit turn;
active proctype p() { atomic { turn == 0 -> turn = 1; turn == 0; turn = 1 } }
active proctype q() { atomic { turn == 1 -> turn = 0; turn == 1; turn = 0 } }
