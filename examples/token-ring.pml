/* A token ring: whoever holds the token may use the shared line.
 *
 * The token travels over rendezvous channels from station to station.
 *
 * Shows: passing channels to processes as parameters, rendezvous, `_nr_pr`, mutual exclusion by construction.
 * Expect: no errors.
 */

#define N 5

chan link[N] = [0] of { byte };
byte users;

proctype station(chan from; chan to; bool first) {
	byte rounds;
	if
	:: first -> to!0
	:: else
	fi;
end:	do
	:: from?rounds ->
	   if
	   :: users++;
	      assert(users == 1);
	      users--
	   :: skip                      /* nothing to say this time */
	   fi;
	   if
	   :: first -> rounds = (rounds + 1) % 3
	   :: else
	   fi;
	   to!rounds
	od
}

init {
	byte i;
	atomic {
		(_nr_pr == 1);
		for (i : 0 .. N - 1) {
			run station(link[i], link[(i + 1) % N], i == 0)
		}
	}
}
