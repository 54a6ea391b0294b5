/* A variable that only the claim uses. */
byte n, turns;
active proctype a() { do :: n = (n + 1) % 3 od }
never {
	do
	:: n == 0 && turns < 2 -> turns++
	:: n > 0
	:: turns == 2 -> break
	od;
	do :: turns == 2 && n > 0 -> turns = 0 :: else od
}
