/* len of no channel. */
chan c;
active proctype p() { if :: len(c) == 0 -> skip :: else fi }
