/* N philosophers who may give up: whoever holds one fork and can't have the other puts it back and thinks again.
 *
 * No deadlock, many states: nearly every combination of what the philosophers do can be reached.
 */

#ifndef N
#define N 12
#endif

bool taken[N];

active [N] proctype philosopher() {
	byte other = (_pid + 1) % N;

	do
	:: atomic { !taken[_pid] -> taken[_pid] = true };
	   if
	   :: atomic { !taken[other] -> taken[other] = true };
	      printf("%d eats\n", _pid);
	      taken[other] = false
	   :: atomic { taken[other] -> skip }
	   fi;
	   taken[_pid] = false
	od
}
