/* A producer sends two numbers and stops; the consumer does not expect the second one. */
#define LAST 2
byte n;
chan c = [1] of { byte };

active proctype Producer() {
	do
	:: n < LAST -> n++; c!n
	od
}

active proctype Consumer() {
	byte got;
idle:	do
	:: c?got; assert(got != LAST)
	od
}

ltl counts { <> (n == LAST) }
