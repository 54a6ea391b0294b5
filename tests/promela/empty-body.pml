/* Processes that do nothing but end. */
active proctype p() { skip }
active [2] proctype q() { true }
