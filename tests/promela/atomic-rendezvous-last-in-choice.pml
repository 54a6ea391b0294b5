/* A rendezvous send gives control away just before the end of its choice, which is then a step of its own. */
chan c = [0] of { byte }; byte x;
active proctype p() { atomic { if :: c!2 :: x == 7 fi }; atomic { do :: c!3; break od } }
active proctype q() { c?x; c?x; x = 9 }
