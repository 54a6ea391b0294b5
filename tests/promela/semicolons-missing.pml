/* A semicolon may be left out after a closing brace, and at the end of a line after fi and od. */
byte x;
active proctype p() {
	if :: x = 1 fi
	x = 2; do :: break od
	x = 3; { x = 4 } x = 5; atomic { x = 6 } x = 7; d_step { x = 8 }
	x = 9
}
