/* A puzzle: a farmer must bring a wolf, a goat and a cabbage across a river.
 *
 * The boat holds the farmer and one more. Left alone, the wolf eats the goat and the goat eats the cabbage.
 *
 * A model checker solves puzzles when told that there is no solution: the counterexample is the solution, and
 * a breadth-first search finds a shortest one.
 *
 * Shows: nondeterministic choice, `atomic`, using an assertion to ask for a path, `printf` in a trace.
 * Expect: the assertion is violated after seven crossings.
 */

bool farmer, wolf, goat, cabbage;   /* false: this side, true: the other side */

#define SAFE  ((wolf != goat || goat == farmer) && (goat != cabbage || goat == farmer))
#define DONE  (farmer && wolf && goat && cabbage)

active proctype boat() {
	do
	:: atomic {
	   	if
	   	:: printf("farmer alone\n")
	   	:: wolf == farmer -> wolf = !wolf; printf("farmer and wolf\n")
	   	:: goat == farmer -> goat = !goat; printf("farmer and goat\n")
	   	:: cabbage == farmer -> cabbage = !cabbage; printf("farmer and cabbage\n")
	   	fi;
	   	farmer = !farmer;
end_eaten:	SAFE                       /* after an unsafe crossing the story ends */
	   };
	   assert(!DONE)
	od
}
