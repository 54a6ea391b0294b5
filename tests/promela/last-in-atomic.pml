/* _last within atomic sequences. */
byte x;
active [2] proctype p() { atomic { x = 1; x = _last }; skip }
