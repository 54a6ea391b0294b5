byte x;

active proctype p() {
	if
	:: x == 0 -> x = 1
	:: x == 5 ->
	   x = 2;
	   x = 3
	fi
}
