/* SPIN knows `timeout` in claims only if a process has it. */
byte n;
active proctype a() { n = 1; n == 2 }
never { do :: true :: timeout -> break od; accept: do :: true od }
