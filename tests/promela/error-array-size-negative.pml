/* An array of negative size. */
byte a[-1];
active proctype p() { skip }
