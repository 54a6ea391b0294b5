/* Priorities given by run. */
byte x;
proctype p(byte n) { x = n; x = n + 1 }
init { run p(1) priority 3; run p(5) priority 7; x = 9 }
