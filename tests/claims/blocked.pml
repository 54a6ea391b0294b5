/* Where the claim can't move, nobody can. */
byte n;
active proctype a() { do :: n = (n + 1) % 5 :: n = (n + 2) % 5 od }
never { do :: n == 0 :: n == 2 :: n == 4 od }
