/* Stop and wait over rendezvous channels, with loss in the middle.
 *
 * A medium hands each message on or drops it. The sender waits for an acknowledgement and sends again after a timeout.
 * Without a sequence number the receiver can't tell a repetition from a new message. That is the mistake here: the
 * acknowledgement is lost, the message comes twice.
 *
 * Shows: rendezvous (channels of capacity 0), the value of a sequence bit (compare alternating-bit.pml).
 * Expect: the assertion is violated: a message is delivered twice.
 */

#define MAX 3

mtype = { data, ack };

chan send    = [0] of { mtype, byte };
chan deliver = [0] of { mtype, byte };
chan answer  = [0] of { mtype };
chan confirm = [0] of { mtype };

active proctype sender() {
	byte n;
	do
	:: n < MAX ->
again:	   send!data(n);
	   if
	   :: confirm?ack -> n++
	   :: timeout -> goto again
	   fi
	:: n == MAX -> break
	od
}

active proctype medium() {
	byte n;
end:	do
	:: send?data(n) ->
	   if
	   :: deliver!data(n)
	   :: skip                  /* the message is lost */
	   fi
	:: answer?ack ->
	   if
	   :: confirm!ack
	   :: skip                  /* the acknowledgement is lost */
	   fi
	od
}

active proctype receiver() {
	byte n, expected;
end:	do
	:: deliver?data(n) ->
	   assert(n == expected);
	   expected++;
	   answer!ack
	od
}
