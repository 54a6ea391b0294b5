/* Two traffic lights at a crossing, cars, and an ambulance.
 *
 * A controller gives green to one road at a time. When an ambulance calls, the controller drops what it is doing
 * (`unless`), turns everything red, and lets the ambulance pass.
 *
 * Shows: `unless`, mtype as enumeration, assertions as invariants between steps.
 * Expect: no errors: never green on both roads, and nothing is green while the ambulance passes.
 */

mtype = { red, green, amber };

mtype light[2] = red;
bool calls, passing;

inline everything_red() { d_step { light[0] = red; light[1] = red } }

active proctype controller() {
	byte road;
	everything_red();
	do
	:: {
	   	assert(light[1 - road] == red);
	   	light[road] = green;
	   	light[road] = amber;
	   	light[road] = red;
	   	road = 1 - road
	   } unless {
	   	calls;
	   	everything_red();
	   	passing = true;
	   	!passing
	   }
	od
}

active proctype ambulance() {
	do
	:: calls = true;
	   passing;
	   assert(light[0] == red && light[1] == red);
	   calls = false;
	   passing = false
	od
}

active [2] proctype driver() {
	byte road = _pid - 2;
	do
	:: atomic { light[road] == green -> assert(light[1 - road] == red && !passing) }
	od
}
