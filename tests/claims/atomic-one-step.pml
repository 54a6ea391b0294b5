/* Both guards are asked at once, and `else` only looks at the first one. */
byte n, m;
active proctype a() { do :: n = (n + 1) % 3 od }
active proctype b() { do :: m = (m + 1) % 3 od }
never {
	do
	:: atomic { n == 1 -> m != 1 }
	:: atomic { n == 2 -> if :: m == 0 :: else -> m == 2 fi } -> break
	:: else
	od;
	do :: n != m od
}
