/* d_steps as options of a loop that is left afterwards. */
byte x;
active [2] proctype p() { do :: d_step { x < 2 -> x++; x = x } :: d_step { x == 2 -> skip }; break od }
