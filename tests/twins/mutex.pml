/* The same as mutex.esml, step by step. */
mtype = { down, up };
mtype = { noncrit, try, crit };
chan s = [0] of { mtype };

active [3] proctype User() {
	mtype r = noncrit;
	do
	:: true -> skip
	:: true -> r = try; s!down; r = crit; r = noncrit; s!up
	od
}

active proctype Semaphore() {
	do
	:: true -> s?down; s?up
	od
}
