/* A jump into a loop, and one into an option. */
byte x;
active proctype p() { goto in; do :: x < 3 -> in: x++ :: else -> break od }
