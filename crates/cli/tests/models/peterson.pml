/* Peterson's algorithm: holds. */
bool flag[2];
byte turn, inside;

active [2] proctype user() {
	do
	:: flag[_pid] = true;
	   turn = _pid;
	   (!flag[1 - _pid] || turn == 1 - _pid);
	   inside++;
	   assert(inside == 1);
	   inside--;
	   flag[_pid] = false
	od
}
