/* More states than anyone has room for; every value makes a difference. */
int x, y;

active proctype a() { do :: atomic { x + y != -1 -> x++ } od }
active proctype b() { do :: atomic { x + y != -1 -> y++ } od }
