/* Two processes that wait for each other. */
mtype = { ping, pong };
chan there = [1] of { mtype, byte };
chan back = [0] of { byte };

active proctype left() {
	byte got;
	there!ping(3);
	back?got;
	there?pong(got)
}

active proctype right() {
	byte n;
	there?ping(n);
	back!n + 1;
	there?pong(n)
}
