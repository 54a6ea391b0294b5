/* How Kripke's own table of states takes a state from several workers at once, and how it grows.
 *
 * A worker looks for its state from the state's home slot on. If it comes to an empty slot the state is not there: the
 * worker writes it into its own part of the arena, which nobody else looks at, and then publishes it by putting its
 * number into the slot with one compare-and-swap. If another worker was faster, that one may have had the very same
 * state, so the loser looks at the slot again; what it has written stays its own and is used for its next state.
 *
 * When the table is too full a meeting is called. All workers come to it, between two states, and nobody uses the table
 * while one of them moves all entries to a larger one. Workers that have nothing left to do leave and are not
 * waited for.
 *
 * Kripke shows for all interleavings that a state that can be seen has been written, that every state is in the table
 * exactly once, that the number of new states is right, and that nobody waits for ever:
 *
 *     kripke lock-free-table.pml
 *
 * Now publish before writing, or store without comparing, or use the table during the meeting:
 *
 *     kripke -DPUBLISH_FIRST lock-free-table.pml
 *     kripke -DNO_COMPARE    lock-free-table.pml
 *     kripke -DNO_MEETING    lock-free-table.pml
 */
#define WORKERS 2
#define STATES  3               /* each worker has this many, from 1 on, in its own order */
#define SMALL   2
#define LARGE   5
#define HOME(s) ((s * 3) % size)

byte slot[SMALL + LARGE];       /* number of a state plus one; the larger table lies behind the smaller one */
byte base = 0;                  /* where the table in use begins */
byte size = SMALL;
byte arena[WORKERS * STATES];   /* the states themselves: worker w writes from w * STATES on */
byte added = 0;

bool called = false;            /* the meeting: called, */
bool sitting = false;           /* all are there, */
bool planned = false;           /* one of them has yet to move the table, */
byte working = WORKERS;         /* who uses the table, */
byte waiting = 0;               /* who of them has come, */
byte finished = 0;              /* who is done, */
byte held = 0;                  /* and how often. */

/* One worker moves everything. Nobody else is in the table, so this need not be atomic. */
inline move_all() {
	from = 0;
	do
	:: from == size -> break
	:: else ->
		if
		:: slot[base + from] != 0 ->
			at = (arena[slot[base + from] - 1] * 3) % LARGE;
			do
			:: slot[SMALL + at] == 0 -> break
			:: else -> at = (at + 1) % LARGE
			od;
			slot[SMALL + at] = slot[base + from]
		:: else
		fi;
		from++
	od;
	atomic { base = SMALL; size = LARGE }
}

inline attend() {
	atomic {
		before = held;
		if
		:: called -> waiting++; came = true
		:: else -> came = false
		fi
	};
	if
	:: came ->
#ifndef NO_MEETING
		atomic {
			sitting || waiting == working ->
#else
		atomic {
#endif
			if
			:: !sitting -> sitting = true; planned = (size == SMALL)
			:: else
			fi
		};
		atomic {
			mine = planned;
			planned = false
		};
		if
		:: mine -> move_all()
		:: else
		fi;
		atomic {
			finished++;
			if
			:: finished == waiting ->
				waiting = 0; finished = 0; sitting = false; called = false; held++
			:: else
			fi
		};
		held != before
	:: else
	fi
}

inline intern(state) {
	at = HOME(state);
	seen = 0;
	do
	:: seen == size ->          /* no room at all */
		called = true;
		attend();
		at = HOME(state);
		seen = 0
	:: else ->
		entry = slot[base + at];
		if
		:: entry == 0 ->
#ifndef PUBLISH_FIRST
			arena[next] = state;
#endif
#ifdef NO_COMPARE
			slot[base + at] = next + 1;
			won = true;
#else
			atomic {
				won = (slot[base + at] == 0);
				if
				:: won -> slot[base + at] = next + 1
				:: else
				fi
			};
#endif
#ifdef PUBLISH_FIRST
			arena[next] = state;
#endif
			if
			:: won ->
				next++;
				added++;
				if
				:: size == SMALL && added * 4 >= size * 3 -> called = true
				:: else
				fi;
				break
			:: else             /* look again */
			fi
		:: else ->
			assert(arena[entry - 1] != 0);
			if
			:: arena[entry - 1] == state -> break
			:: else ->
				at = (at + 1) % size;
				seen++
			fi
		fi
	od
}

proctype worker(byte me) {
	byte next = me * STATES;
	byte i, wanted, at, seen, entry, from, before;
	bool won, came, mine;

	do
	:: i == STATES -> break
	:: else ->
		if
		:: called -> attend()   /* between two states */
		:: else
		fi;
		wanted = (me % 2 == 0 -> i + 1 : STATES - i);
		intern(wanted);
		i++
	od;
	atomic {
		working--;
		if
		:: working == 0 ->      /* the last to leave counts */
			i = 1;
			do
			:: i > STATES -> break
			:: else ->
				seen = 0;
				at = 0;
				do
				:: at == size -> break
				:: else ->
					if
					:: slot[base + at] != 0 && arena[slot[base + at] - 1] == i -> seen++
					:: else
					fi;
					at++
				od;
				assert(seen == 1);
				i++
			od;
			assert(added == STATES)
		:: else
		fi
	}
}

init {
	atomic {
		byte w = 0;
		do
		:: w == WORKERS -> break
		:: else -> run worker(w); w++
		od
	}
}
