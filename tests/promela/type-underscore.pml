/* `_` can be written but not kept. */
byte x;
active proctype p() { _ = 5; x = 1; _ = x }
