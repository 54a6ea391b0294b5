/* Alternation with _last. */
bit b;
active proctype p() { do :: _last != _pid -> b = 0 od }
active proctype q() { do :: _last != _pid -> b = 1 od }
