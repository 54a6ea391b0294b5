/* More states than anyone has room for. */
int x, y;

active proctype a() { do :: x++ od }
active proctype b() { do :: y++ od }
