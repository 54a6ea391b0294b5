/* A keyword as a name. */
byte do;
active proctype p() { skip }
