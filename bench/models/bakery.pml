/* Lamport's bakery with a roll of LAST tickets: whoever finds the roll used up gives way and asks again.
 *
 * Shared variables only, every read and write a step of its own, no two customers ever at the counter.
 */

#ifndef N
#define N 3
#endif
#ifndef LAST
#define LAST 5
#endif

bool choosing[N];
byte ticket[N];
byte served;

active [N] proctype customer() {
	byte highest, other;

	do
	:: choosing[_pid] = true;
	   highest = 0;
	   other = 0;
	   do
	   :: other < N ->
	      if
	      :: ticket[other] > highest -> highest = ticket[other]
	      :: else
	      fi;
	      other++
	   :: else -> break
	   od;
	   if
	   :: highest >= LAST ->
	      choosing[_pid] = false
	   :: else ->
	      ticket[_pid] = highest + 1;
	      choosing[_pid] = false;
	      other = 0;
	      do
	      :: other < N ->
	         !choosing[other];
	         (ticket[other] == 0 || ticket[other] > ticket[_pid] || (ticket[other] == ticket[_pid] && other >= _pid));
	         other++
	      :: else -> break
	      od;
	      served++;
	      assert(served == 1);
	      served--;
	      ticket[_pid] = 0
	   fi
	od
}
