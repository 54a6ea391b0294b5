/* Weak fairness: `door` can always move, so it is only an unfair scheduler that keeps it shut.

   kripke check examples/fair-weak.pml --ltl '<> open'                a run on which `clock` alone moves
   kripke check examples/fair-weak.pml --ltl '<> open' --fair weak    holds */

bool open;
byte tick;

active proctype clock() {
end:
	do
	:: tick = 1 - tick
	od
}

active proctype door() {
	open = true
}
