/* N counters that go round, each on its own: exactly K^N states, and N transitions from each of them.
 *
 * Only the number of states changes with K, so what a state costs can be compared from a hundred thousand states
 * (K = 10) to a hundred million (K = 40).
 */

#ifndef N
#define N 5
#endif
#ifndef K
#define K 10
#endif

active [N] proctype counter() {
	byte count;

	do
	:: count = (count + 1) % K
	od
}
