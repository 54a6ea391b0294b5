/* Rendezvous, messages and atomic sequences are one step each for the claim. */
mtype = { ping, pong };
chan go = [0] of { mtype };
chan box = [2] of { mtype, byte };
byte n;
active proctype s() { do :: go!ping; atomic { box!ping, n; n = (n + 1) % 3 } :: box?pong, _ od }
active proctype r() { do :: go?ping :: atomic { box?ping, _; box!pong, 1 } od }
never {
	do
	:: len(box) == 0
	:: box?[ping, 1] -> goto full_box
	:: nempty(box)
	od;
full_box:
	do :: nfull(box) :: full(box) -> break od;
	do :: true od
}
