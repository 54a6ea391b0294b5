/* On the same line as od, the next statement needs a semicolon before it. */
byte x;
active proctype p() { do :: break od x = 7 }
