/* The dining philosophers, and how they starve.
 *
 * Philosophers sit round a table with one fork between each two. To eat, each takes the fork on the left, then the one
 * on the right. If all take their left fork, nobody can go on.
 *
 * Shows: deadlock (an invalid end state).
 * Expect: an invalid end state, after each philosopher has taken one fork.
 */

#ifndef N
#define N 4
#endif

bool taken[N];

active [N] proctype philosopher() {
	byte left  = _pid;
	byte right = (_pid + 1) % N;
	do
	:: atomic { !taken[left] -> taken[left] = true };
	   atomic { !taken[right] -> taken[right] = true };
	   printf("philosopher %d eats\n", _pid);
	   taken[right] = false;
	   taken[left] = false
	od
}
