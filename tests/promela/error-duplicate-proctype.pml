/* A proctype twice. */
active proctype p() { skip }
active proctype p() { skip }
