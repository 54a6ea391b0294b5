/* printf is a step. */
mtype = { ready };
active proctype p() { byte x = 3; printf("hello\n"); printf("%d %u %x %o %c %e\n", x, x, x, x, 65, ready); printm(ready) }
