/* A channel variable initialised by a number. */
chan c = 5;
active proctype p() { skip }
