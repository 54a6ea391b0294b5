/* Receiving on a channel variable that names no channel. */
chan c;
active proctype p() { byte x; c?x }
