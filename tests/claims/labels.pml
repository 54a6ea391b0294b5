/* Where processes are, by type and by number; what they hold. */
byte turn;
active [2] proctype p() {
	byte own;
	do
	:: turn == _pid ->
cs:		own = 1 - own;
out:		turn = 1 - _pid
	od
}
never {
	do
	:: p[0]@cs
	:: p[1]@out -> break
	:: !p[0]@cs && !p[1]@cs && p[0]:own == 0
	od;
accept:	do :: p[1]:own == 1 || p[0]@cs od
}
