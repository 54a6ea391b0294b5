/* Nobody can move otherwise: known to the claim, too. */
byte n;
active proctype a() { do :: n < 2 -> n++ :: timeout -> n = 0 od }
never { do :: !timeout :: timeout -> break od; accept: do :: !timeout :: timeout && n == 2 -> goto accept od }
