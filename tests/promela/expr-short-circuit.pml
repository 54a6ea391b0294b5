/* `&&` and `||` evaluate the right side only if needed: no fault here. */
byte a[2]; byte i = 5;
active proctype p() { if :: i < 2 && a[i] == 0 -> i = 1 :: i >= 2 || a[i] -> i = 0 fi }
