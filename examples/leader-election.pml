/* Leader election in a ring.
 *
 * Every node sends its number to its neighbour. A node passes larger numbers on and swallows smaller ones. A number that
 * comes back to its owner has gone all the way round, so nobody has a larger one: the owner is the leader.
 *
 * Shows: arrays of channels, processes created with `run` and given parameters, `atomic` start.
 * Expect: no errors: at the end there is exactly one leader, the node with the largest number.
 */

#define N 4

mtype = { candidate, elected };

chan ring[N] = [N] of { mtype, byte };
byte leaders;
byte leader;

proctype node(byte place; byte number) {
	byte n;
	chan left  = ring[place];
	chan right = ring[(place + 1) % N];

	right!candidate(number);
	do
	:: left?candidate(n) ->
	   if
	   :: n > number -> right!candidate(n)
	   :: n < number -> skip
	   :: n == number ->
	      leaders++;
	      leader = number;
	      assert(leaders == 1);
	      right!elected(number)
	   fi
	:: left?elected(n) ->
	   assert(n == leader);
	   if
	   :: n != number -> right!elected(n)
	   :: else
	   fi;
	   break
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run node(i, (i * 3 + 2) % 7)      /* all different: 2 5 1 4 */
		}
	}
	(_nr_pr == 1);
	assert(leaders == 1 && leader == 5)
}
