/* _nr_pr counts the processes, finished ones too. */
byte n;
proctype p() { skip }
init { n = _nr_pr; run p(); n = _nr_pr; (_nr_pr == 1); n = _nr_pr }
