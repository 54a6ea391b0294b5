/* A lift that serves calls from several floors.
 *
 * The lift goes on in its direction while there are calls ahead, then turns round. Its door must be closed while it moves.
 *
 * Shows: `for`, `select`, `else`, arrays of bool, invariants as assertions.
 * Expect: no errors.
 */

#define FLOORS 4

bool call[FLOORS];
bool open;
byte floor;

active proctype people() {
	byte f;
	do
	:: select(f : 0 .. 3);
	   call[f] = true
	od
}

active proctype lift() {
	bool up = true, ahead;
	byte f;
	do
	:: call[floor] ->
	   open = true;
	   call[floor] = false;
	   open = false
	:: else ->
	   d_step {
	   	ahead = false;
	   	for (f in call) {
	   		if
	   		:: call[f] && ((up && f > floor) || (!up && f < floor)) -> ahead = true
	   		:: else
	   		fi
	   	};
	   	f = 0
	   };
	   if
	   :: ahead ->
	      assert(!open);
	      if
	      :: up -> floor++
	      :: else -> floor--
	      fi;
	      assert(floor < FLOORS)
	   :: else -> up = !up
	   fi
	od
}
