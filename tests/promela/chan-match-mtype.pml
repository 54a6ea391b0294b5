/* Message types in receives. */
mtype = { data, ack, nack };
chan c = [2] of { mtype, byte };
active proctype p() { byte x; c!data(1); c!nack(2); do :: c?data(x) -> assert(x == 1) :: c?ack(x) -> assert(false) :: c?nack(x) -> break od }
