/* A rendezvous as an option of an atomic choice. */
chan c = [0] of { byte }; byte x;
active proctype p() { atomic { x = 1; if :: c!1 -> x = 2 :: x == 1 -> x = 3 fi; x = 4 } }
active proctype q() { end: do :: atomic { c?_ -> x = 10 } od }
