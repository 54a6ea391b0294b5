/* Producers and consumers around a bounded buffer.
 *
 * The buffer is an array used in a circle, guarded by one lock. `count` says how many places are used.
 *
 * Shows: arrays, atomic tests, several processes of the same type, what happens at the end of a process.
 * Expect: no errors: the buffer never overflows and everything produced is consumed.
 */

#define SIZE   2                    /* places in the buffer */
#define ITEMS  2                    /* things each producer makes */

byte buffer[SIZE];
byte count, first;
bool locked;
byte produced, consumed;

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

active [2] proctype producer() {
	byte i;
	for (i : 1 .. ITEMS) {
again:		lock();
		if
		:: count < SIZE ->
		   buffer[(first + count) % SIZE] = i;
		   count++;
		   produced++;
		   unlock()
		:: else ->
		   unlock();
		   count < SIZE;           /* wait outside the lock, then try again */
		   goto again
		fi
	}
}

active [2] proctype consumer() {
	byte i, item;
	for (i : 1 .. ITEMS) {
again:		lock();
		if
		:: count > 0 ->
		   item = buffer[first];
		   buffer[first] = 0;
		   first = (first + 1) % SIZE;
		   count--;
		   consumed++;
		   unlock()
		:: else ->
		   unlock();
		   count > 0;
		   goto again
		fi;
		assert(item >= 1 && item <= ITEMS);
		assert(count <= SIZE);
		assert(consumed <= produced)
	}
}
