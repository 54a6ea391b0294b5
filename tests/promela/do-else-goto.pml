/* `else` followed by a jump. */
byte x;
active proctype p() { do :: x < 2 -> x++ :: else -> goto out od; out: x = 9 }
