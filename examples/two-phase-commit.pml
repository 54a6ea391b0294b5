/* Two-phase commit: all participants commit, or all abort.
 *
 * The coordinator asks for votes, then announces the decision. A participant that voted yes must wait for it: it may not
 * decide alone. A participant may crash before voting, which the coordinator notices after a timeout.
 *
 * Shows: arrays of channels, `timeout` as the end of patience, remote references (`participant[2]:decision`).
 * Expect: no errors: no two participants ever decide differently.
 */

#define N 3

mtype = { undecided, yes, no, commit, abort };

chan vote    = [N] of { mtype };
chan outcome[N] = [1] of { mtype };

active [N] proctype participant() {
	mtype decision = undecided;
	if
	:: vote!yes;
	   outcome[_pid]?decision
	:: vote!no;
	   decision = abort            /* whoever says no may abort at once */
	:: decision = abort            /* crashed before voting */
	fi
}

active proctype coordinator() {
	byte votes, i;
	mtype v, result = commit;
	do
	:: votes < N ->
	   if
	   :: vote?v ->
	      votes++;
	      if
	      :: v == no -> result = abort
	      :: else
	      fi
	   :: timeout -> result = abort; break
	   fi
	:: else -> break
	od;
	for (i : 0 .. N - 1) {
		outcome[i]!result
	};
	timeout;                         /* let everybody finish */
	assert(!(participant[0]:decision == commit && participant[1]:decision == abort));
	assert(!(participant[0]:decision == commit && participant[2]:decision == abort));
	assert(!(participant[1]:decision == commit && participant[0]:decision == abort));
	assert(!(participant[1]:decision == commit && participant[2]:decision == abort));
	assert(!(participant[2]:decision == commit && participant[0]:decision == abort));
	assert(!(participant[2]:decision == commit && participant[1]:decision == abort))
}
