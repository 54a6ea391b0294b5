byte n;
active proctype a() { do :: n = (n + 1) % 4 od }
never { L: { do :: n < 2 :: n == 2 -> n == 3 od } unless { n == 3 }; goto L }
