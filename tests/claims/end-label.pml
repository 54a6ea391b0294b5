/* Being at a place called an end is an error as being at the closing brace is. */
byte n;
active proctype a() { do :: n = (n + 1) % 4 od }
never {
	do :: n < 3 :: n == 3 -> break od;
end_it:	do :: n < 4 od
}
