/* Mutual exclusion, done wrong.
 *
 * Each process looks whether the other one wants to enter, and only then says that it wants to enter itself. Between
 * looking and saying there is a gap, and both processes can be in that gap at the same time.
 *
 * Shows: a data race between a test and a set; finding it with an assertion.
 * Expect: the assertion is violated. The shortest run has both processes look, then both enter.
 */

bool wants[2];
byte critical;            /* how many processes are in the critical section */

active [2] proctype user() {
	do
	:: !wants[1 - _pid];          /* the other one does not want to enter ... */
	   wants[_pid] = true;        /* ... so I do. Too late! */
	   critical++;
	   assert(critical == 1);
	   critical--;
	   wants[_pid] = false
	od
}
