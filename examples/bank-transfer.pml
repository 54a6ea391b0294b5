/* Money moves between accounts: a lost update, and a deadlock.
 *
 * Two clerks transfer money between two accounts in opposite directions. Each locks the account it takes from, then the
 * one it pays into: like the philosophers' forks, that can deadlock. A clerk who is in a hurry does not lock at all.
 *
 * Shows: two different errors in one model (look at both with --all-errors).
 * Expect: an invalid end state (a deadlock of the careful clerks) and a violated assertion (money disappears).
 */

#define TOTAL 20

int balance[2] = 10;
bool locked[2];
byte finished;

inline lock(a) { atomic { !locked[a] -> locked[a] = true } }

proctype clerk(byte from; byte to; bool careful) {
	int amount;
	if
	:: careful -> lock(from); lock(to)
	:: else
	fi;
	amount = balance[from];
	balance[from] = amount - 5;
	amount = balance[to];
	balance[to] = amount + 5;
	if
	:: careful -> locked[to] = false; locked[from] = false
	:: else
	fi;
	finished++
}

init {
	atomic {
		run clerk(0, 1, true);
		run clerk(1, 0, true);
		run clerk(0, 1, false)
	};
	finished == 3;
	assert(balance[0] + balance[1] == TOTAL)
}
