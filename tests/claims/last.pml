/* Who moved last is part of the state. */
byte n;
active [2] proctype p() { do :: n = (n + 1) % 3 od }
never { do :: _last == 0 :: _last == 1 && n != 2 od }
