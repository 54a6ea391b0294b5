/* Mutual exclusion that looks before it leaps: both may get in. */
bool wantp, wantq;
byte critical;

active proctype p() {
	do
	:: !wantq;
	   wantp = true;
	   critical++;
	   assert(critical == 1);
	   critical--;
	   wantp = false
	od
}

active proctype q() {
	do
	:: !wantp;
	   wantq = true;
	   critical++;
	   assert(critical == 1);
	   critical--;
	   wantq = false
	od
}
