/* Equal messages sent sorted. */
chan c = [3] of { byte };
active [2] proctype p() { c!!2 ; c!!1 }
active proctype q() { byte x; x = 5; end: do :: c?x od }
