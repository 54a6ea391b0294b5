byte n;
active proctype a() { do :: n < 3 -> n++ :: n > 1 -> n-- od }
never {
S0:	if :: n == 3 -> goto S1 :: else -> goto S0 fi;
S1:	if :: n == 1 -> goto S0 :: n == 2 -> goto S2 :: else -> goto S1 fi;
S2:	if :: n == 2 -> goto S2 :: else -> goto S1 fi
}
