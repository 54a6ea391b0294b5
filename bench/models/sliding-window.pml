/* A sliding-window protocol, go-back-n, over two channels that lose messages.
 *
 * The sender may have WINDOW frames on their way, numbered modulo WINDOW + 1. The receiver delivers in order and
 * acknowledges the number it waits for. What is sent is a number modulo SOURCE, so the receiver can tell if something
 * was lost, repeated or swapped.
 */

#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef SOURCE
#define SOURCE 5
#endif

#define NUMBERS (WINDOW + 1)

chan frames = [SLOTS] of { byte, byte };
chan replies = [SLOTS] of { byte };

active proctype sender() {
	byte base, pending, content, waits, i;

	do
	:: pending < WINDOW ->
	   if
	   :: frames!((base + pending) % NUMBERS),((content + pending) % SOURCE)
	   :: skip          /* lost */
	   fi;
	   pending++
	:: replies?waits ->
	   do
	   :: pending > 0 && base != waits ->
	      d_step {
	         base = (base + 1) % NUMBERS;
	         content = (content + 1) % SOURCE;
	         pending--
	      }
	   :: else -> break
	   od
	:: pending > 0 && empty(replies) ->
	   /* A timer has run out: everything again. */
	   i = 0;
	   do
	   :: i < pending ->
	      if
	      :: frames!((base + i) % NUMBERS),((content + i) % SOURCE)
	      :: skip
	      fi;
	      i++
	   :: else -> break
	   od
	od
}

active proctype receiver() {
	byte expected, next, number, content;

	do
	:: frames?number,content ->
	   if
	   :: number == expected ->
	      assert(content == next);
	      expected = (expected + 1) % NUMBERS;
	      next = (next + 1) % SOURCE
	   :: else
	   fi;
	   if
	   :: replies!expected
	   :: skip
	   fi
	od
}
