/* Impartiality: `lorry` may stop at the light for good. It can't move then, so no scheduler treats it unfairly, and not
   even a strongly fair one makes it pass. On runs on which every process moves again and again it does not stop.

   kripke check examples/fair-impartial.pml --ltl '<> passed' --fair strong       the lorry waits, the lamp blinks
   kripke check examples/fair-impartial.pml --ltl '<> passed' --fair impartial    holds */

bool waits, passed;
bit light;

active proctype lamp() {
end:
	do
	:: light = 1 - light
	od
}

active proctype lorry() {
	do
	:: waits = true; break
	:: passed = true
	od;
end_at_light:
	false
}
