/* pc_value() compares places in the text. */
byte x;
active proctype p() { x = 1; x = 2; x = 3 }
active proctype q() { pc_value(0) > 1 -> skip }
