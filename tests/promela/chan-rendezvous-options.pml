/* Several receive options match: each is an edge. */
chan c = [0] of { byte }; byte n;
active proctype p() { c!1 }
active proctype q() { byte x; if :: c?x -> n = 1 :: c?1 -> n = 2 :: c?2 -> n = 3 :: c?_ -> n = 4 fi }
