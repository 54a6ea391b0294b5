bit b;
active proctype p() { do :: b = 1 - b od }
ltl live { []<> b }
