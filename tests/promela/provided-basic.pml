/* A process moves only while its provided clause holds. */
bit turn;
active proctype p() provided (turn == 0) { do :: turn = 1 od }
active proctype q() provided (turn == 1) { do :: turn = 0 od }
