/* A local channel is given to another process. */
byte n;
proctype p(chan c) { c!4 }
active proctype q() { chan mine = [0] of { byte }; byte x; run p(mine); mine?x; n = x }
