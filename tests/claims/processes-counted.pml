/* SPIN counts the claim as a process. */
bit n;
active proctype a() { do :: _nr_pr == 1 -> n = 1 - n od }
never { do :: true od }
