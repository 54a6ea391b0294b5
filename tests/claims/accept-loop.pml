/* A claim that follows a counter for ever. */
byte n;
active proctype count() { do :: n = (n + 1) % 4 :: n == 3 -> n = 0 od }
never {
T0:	if
	:: true -> goto T0
	:: n == 2 -> goto accept_n
	fi;
accept_n:
	if
	:: n != 0 -> goto accept_n
	fi
}
