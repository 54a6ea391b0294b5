/* Readers and writers: many may read at once, but a writer must be alone. Writers go first.
 *
 * A monitor process owns the rules. Readers and writers ask it over rendezvous channels; a request that the rules forbid
 * is simply not received, so the asker waits.
 *
 * Shows: a server with guarded receives, rendezvous as a procedure call, an `end` label.
 * Expect: no errors.
 */

#define READERS 3
#define WRITERS 2

chan start_read  = [0] of { bit };
chan stop_read   = [0] of { bit };
chan want_write  = [0] of { bit };
chan start_write = [0] of { bit };
chan stop_write  = [0] of { bit };

byte reading, writing;

active proctype monitor() {
	byte readers, waiting;
	bool busy;
end:	do
	:: !busy && waiting == 0 -> 
	   if
	   :: start_read?_ -> readers++
	   :: stop_read?_ -> readers--
	   :: want_write?_ -> waiting++
	   fi
	:: !busy && waiting > 0 && readers > 0 ->
	   if
	   :: stop_read?_ -> readers--
	   :: want_write?_ -> waiting++
	   fi
	:: !busy && waiting > 0 && readers == 0 ->
	   if
	   :: start_write?_ -> busy = true; waiting--
	   :: want_write?_ -> waiting++
	   fi
	:: busy ->
	   if
	   :: stop_write?_ -> busy = false
	   :: want_write?_ -> waiting++
	   fi
	od
}

active [READERS] proctype reader() {
	do
	:: start_read!0;
	   reading++;
	   assert(writing == 0);
	   reading--;
	   stop_read!0
	od
}

active [WRITERS] proctype writer() {
	do
	:: want_write!0;
	   start_write!0;
	   writing++;
	   assert(writing == 1 && reading == 0);
	   writing--;
	   stop_write!0
	od
}
