/* Mutual exclusion, done right: Peterson's algorithm for two processes.
 *
 * A process first says that it wants to enter, then lets the other one go first (`turn`), and only then looks. Whoever
 * wrote `turn` last waits.
 *
 * Shows: shared variables, a wait written as an expression statement.
 * Expect: no errors. Swap the two assignments before the wait and check again: is the order important?
 */

bool wants[2];
byte turn;
byte critical;

active [2] proctype user() {
	byte other = 1 - _pid;
	do
	:: wants[_pid] = true;
	   turn = other;
	   (!wants[other] || turn == _pid);   /* blocks until this is true */
	   critical++;
	   assert(critical == 1);
	   critical--;
	   wants[_pid] = false
	od
}
