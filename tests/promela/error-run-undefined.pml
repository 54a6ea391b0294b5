/* run of an unknown proctype. */
init { run nobody() }
