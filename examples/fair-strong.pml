/* Strong fairness: `guest` can enter only at times, again and again. A scheduler that is only weakly fair may always
   look away at these times.

   kripke check examples/fair-strong.pml --ltl '<> inside' --fair weak      the door opens and closes for ever
   kripke check examples/fair-strong.pml --ltl '<> inside' --fair strong    holds */

bool open, inside;

active proctype door() {
end:
	do
	:: open = true; open = false
	od
}

active proctype guest() {
	open -> inside = true
}
