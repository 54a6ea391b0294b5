/* The worst case for partial-order reduction: N processes that take K steps each, and every step reads and writes what
 * every other step reads and writes, so that no two of them may be exchanged.
 *
 * The states are as many as those of own-steps.pml, with reduction or without: (K + 1)^N + 1. (The sum of all steps is in
 * the state, but it is the sum of what the processes have done.) The sizes are those of the worst case in Table I of
 * Holzmann and Peled, "An improvement in formal verification" (1994): 100,001 states and 450,002 transitions.
 */

#ifndef N
#define N 5
#endif
#ifndef K
#define K 9
#endif

byte sum;

proctype worker() {
	byte done;

end:	do
	:: d_step { done < K && sum < N * K -> done++; sum++ }
	od
}

init {
	byte i;
	atomic {
		for (i : 1 .. N) {
			run worker()
		}
	}
}
