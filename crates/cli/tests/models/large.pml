/* Three counters: some ten thousand states, none of them far away. */

byte a, b, c;

active proctype first() { do :: a < 14 -> a++ :: else -> break od }
active proctype second() { do :: b < 14 -> b++ :: else -> break od }
active proctype third() { do :: c < 14 -> c++ :: else -> break od }
