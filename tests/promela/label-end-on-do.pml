/* An `end` label on a loop holds for waiting at the loop, not inside an option. */
byte x; chan c = [1] of { byte };
active proctype p() { end: do :: x == 0 -> x = 1; x == 7 :: c?_ od }
