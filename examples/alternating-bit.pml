/* The alternating bit protocol over channels that lose messages.
 *
 * The sender repeats a message until the acknowledgement carries the same bit; then it flips the bit and sends the next
 * one. The receiver acknowledges everything but delivers a message only when its bit is the expected one. Loss is the
 * free choice of a process that takes messages out of a channel and forgets them.
 *
 * Shows: buffered channels, message types (mtype), constants in a receive, unreliable media, `timeout`.
 * Expect: no errors: messages arrive in order, none missing, none doubled.
 */

#define MAX 4                       /* numbers 0 .. MAX-1 are sent in turn */

mtype = { msg, ack };

chan to_receiver = [2] of { mtype, bit, byte };
chan to_sender   = [2] of { mtype, bit };

active proctype sender() {
	bit b, seen;
	byte data;

	do
	:: to_receiver!msg(b, data);
	   if
	   :: to_sender?ack(seen) ->
	      if
	      :: seen == b ->
	         b = 1 - b;
	         data = (data + 1) % MAX
	      :: else               /* an old acknowledgement: send again */
	      fi
	   :: timeout               /* nothing else can happen: something was lost, send again */
	   fi
	od
}

active proctype receiver() {
	bit b, expected;
	byte data, next;

end:	do
	:: to_receiver?msg(b, data);
	   if
	   :: b == expected ->
	      assert(data == next);
	      next = (next + 1) % MAX;
	      expected = 1 - expected
	   :: else
	   fi;
	   to_sender!ack(b)
	od
}

active proctype thief() {
end:	do
	:: to_receiver?_, _, _
	:: to_sender?_, _
	od
}
