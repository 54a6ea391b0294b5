/* Formulas, left out of the search. */
byte x;
ltl always_small { [] (x < 4) }
ltl finally { <> (x == 3) && (x < 5 U x == 3) }
active proctype p() { do :: x < 3 -> x++ :: else -> break od }
