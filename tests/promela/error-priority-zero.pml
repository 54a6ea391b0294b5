/* A priority of 0. */
active proctype p() priority 0 { skip }
active proctype q() priority 2 { skip }
