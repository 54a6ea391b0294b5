/* accept and progress labels change nothing in a safety search. */
byte x;
active proctype p() { accept: do :: x < 2 -> progress: x++ :: else -> break od }
