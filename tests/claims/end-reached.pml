byte n;
active proctype a() { do :: n = (n + 1) % 6 od }
never { do :: n < 3 :: n == 3 -> break od; n == 4 }
