/* A loop that blocks inside an atomic sequence. */
byte x;
active proctype p() { atomic { do :: x < 2 -> x++ :: x == 4 -> break od; x = 5 } }
active proctype q() { x == 2; x = 3; x = 4 }
