/* Processes that end while another one is in an atomic sequence. */
byte x;
proctype p() { x++ }
init { atomic { run p(); x == 1; _nr_pr == 1; x = 5; x = 6 } }
