/* A sender and a receiver; the receiver's assertion fails. */
#define N 3

mtype = { msg, ack };
typedef Packet { byte number; bit flag };

chan link = [2] of { mtype, byte };
byte data[N];
Packet last;

inline put(slot, value) {
	data[slot] = value;
	last.number = value
}

proctype sender(byte count; byte start) {
	byte i = start;
	do
	:: i < count -> link!msg(i); i++
	:: else -> break
	od
}

active proctype receiver() {
	byte x;
wait:	do
	:: link?msg(x) -> put(x % N, x); assert(x < 2)
	:: timeout -> goto done
	od;
done:	skip
}

init {
	run sender(N, 0)
}

ltl small { [] (last.number <= N && receiver@wait) }
