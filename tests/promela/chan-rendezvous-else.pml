/* Nobody receives: `else` is taken. */
chan c = [0] of { byte }; byte n;
active proctype p() { do :: n < 2 -> if :: c!n :: else -> n++ fi :: else -> break od }
active proctype q() { byte x; end: do :: n == 1 -> c?x; n++ od }
