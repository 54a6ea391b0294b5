/* An array without elements. */
byte a[0];
active proctype p() { skip }
