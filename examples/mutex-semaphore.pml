/* Mutual exclusion among N processes with a semaphore.
 *
 * A semaphore is a counter; taking it must test and decrement in one go, which is what `atomic` is for.
 *
 * Shows: atomic sequences, inline, a macro as parameter (try `-DN=5`).
 * Expect: no errors.
 */

#ifndef N
#define N 4
#endif

byte semaphore = 1;
byte critical;

inline wait(s) { atomic { s > 0 -> s-- } }
inline signal(s) { s++ }

active [N] proctype worker() {
	do
	:: wait(semaphore);
	   critical++;
	   assert(critical == 1);
	   critical--;
	   signal(semaphore)
	od
}
