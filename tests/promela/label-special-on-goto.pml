/* A goto with a special label is a state of its own, whatever other labels it has. */
byte x;
active proctype P() { L0: accept_0: goto L1; L1: x = 1 }
active proctype Q() {
	do
	:: x == 1 -> A: end_B: goto L2
	:: x < 1 -> C: progress_D: break
	od;
	progress_E: F: goto L2;
	L2: true
}
