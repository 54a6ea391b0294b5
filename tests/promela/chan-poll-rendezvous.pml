/* Polling a rendezvous channel is a mistake. */
chan c = [0] of { byte };
active proctype p() { if :: c?[1] -> skip :: else fi }
