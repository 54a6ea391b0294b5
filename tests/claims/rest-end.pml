/* SPIN removes a claim that is at its end when all processes are gone. */
byte n;
active proctype a() { n = 1 }
never { do :: true :: n == 1 -> break od }
