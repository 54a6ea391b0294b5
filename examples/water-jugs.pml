/* A puzzle: measure 4 litres with a jug of 3 and a jug of 5.
 *
 * Shows: `inline`, conditional expressions, `d_step`, the shortest counterexample as a solution.
 * Expect: the assertion is violated, six pourings after the start.
 */

#define SMALL 3
#define LARGE 5

byte small, large;

inline pour(from, to, size) {
	d_step {
		amount = ( from < size - to -> from : size - to );
		from = from - amount;
		to = to + amount;
		amount = 0
	}
}

active proctype kitchen() {
	byte amount;
	do
	:: small = SMALL
	:: large = LARGE
	:: small = 0
	:: large = 0
	:: pour(small, large, LARGE)
	:: pour(large, small, SMALL)
	:: assert(large != 4)
	od
}
