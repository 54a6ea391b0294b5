byte x;
active [2] proctype p() {
	if
	:: x = x + 1
	:: x = x + 2
	:: x = x * 3
	fi
}
