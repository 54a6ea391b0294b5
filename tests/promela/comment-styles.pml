/* Comments of both kinds. */ // and this one
byte x; // trailing
active proctype p() { /* in the middle */ x = 1; // end
	x = /* here */ 2 }
