/* The best case for partial-order reduction: N processes that take K steps each and have nothing to do with each other.
 *
 * Without reduction every combination of how far they are is a state: (K + 1)^N, and the one before they start. With it one
 * order of the steps is enough: N * K + 2 states. The sizes are those of the best case in Table I of Holzmann and
 * Peled, "An improvement in formal verification" (1994): 100,001 states and 450,002 transitions (SPIN counts the step into
 * the initial state), of which 47 and 47 are left.
 */

#ifndef N
#define N 5
#endif
#ifndef K
#define K 9
#endif

proctype worker() {
	byte done;

end:	do
	:: d_step { done < K -> done++ }
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
