/* SPIN leaves out the first state of the claim after the processes have come to rest. */
byte n;
active proctype a() { n = 1; n = 2; false }
never {
S0:	if :: n < 2 -> goto S0 :: n == 2 -> goto S1 fi;
S1:	if :: n == 2 -> goto S2 fi;
S2:	if :: n == 2 -> goto S3 fi;
S3:	do :: n == 2 od
}
