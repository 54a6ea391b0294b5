/* The dining philosophers, repaired: forks are numbered, and everybody takes the smaller number first.
 *
 * If everybody takes things in the same order there can be no circle of waiting.
 *
 * Shows: a conditional expression, the same model as dining-philosophers.pml without its deadlock.
 * Expect: no errors.
 */

#ifndef N
#define N 4
#endif

bool taken[N];

active [N] proctype philosopher() {
	byte first  = ( _pid == N - 1 -> 0 : _pid );
	byte second = ( _pid == N - 1 -> N - 1 : _pid + 1 );
	do
	:: atomic { !taken[first] -> taken[first] = true };
	   atomic { !taken[second] -> taken[second] = true };
	   printf("philosopher %d eats\n", _pid);
	   taken[second] = false;
	   taken[first] = false
	od
}
