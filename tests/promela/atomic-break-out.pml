/* break from inside an atomic option. */
byte x;
active [2] proctype p() { do :: atomic { x < 3 -> x++; x = x } :: atomic { x == 3 -> skip; break } od; x = 3 }
