/* A cycle through an accepting label that a path reaches late, and a shorter path reaches again. */
byte c;

active proctype p() {
	if
	:: c = 1 -> goto around
	:: c = 1 -> goto into
	fi;
around:
	c = 2;
	c = 3;
accept_here:
	c = 4;
into:
	c = 1;
	goto accept_here
}
