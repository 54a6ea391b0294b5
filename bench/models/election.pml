/* Leader election in a ring of N nodes by Dolev, Klawe, Rodeh and Peterson, over buffered channels.
 *
 * A node compares the values of its two neighbours upstream with its own: it stays in the race, with the value from
 * the left, only if that is the largest of the three. Channels have room for SLOTS messages.
 */

#ifndef N
#define N 7
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

mtype = { first, second, winner };

chan link[N] = [SLOTS] of { mtype, byte };
byte leaders;

proctype node(byte place; byte own) {
	byte value = own, left, got;
	bool racing = true;
	chan from = link[place];
	chan to = link[(place + 1) % N];

	to!first(value);
	do
	:: from?first(got) ->
	   if
	   :: racing && got != value ->
	      left = got;
	      to!second(left)
	   :: racing && got == value ->
	      leaders++;
	      assert(leaders == 1);
	      to!winner(value);
	      break
	   :: else -> to!first(got)
	   fi
	:: from?second(got) ->
	   if
	   :: racing && left > got && left > value ->
	      value = left;
	      to!first(value)
	   :: racing && !(left > got && left > value) ->
	      racing = false
	   :: else -> to!second(got)
	   fi
	:: from?winner(got) ->
	   to!winner(got);
	   break
	od;
	/* What is still on its way is taken off the ring. */
end:	do
	:: from?_,_
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run node(i, (i * 7 + 3) % 11)      /* all different, for N up to 11 */
		}
	}
}
