active proctype p( {
	x = 1;
	goto nowhere
}
