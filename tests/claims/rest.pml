/* The processes end, the claim goes on. */
byte n;
active proctype a() { n = 1; n = 2 }
active proctype b() { n = 3 }
never {
	do :: true :: n == 2 -> break od;
accept:	do :: n == 2 :: n == 3 -> goto more od;
more:	do :: true od
}
