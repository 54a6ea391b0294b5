/* The youngest process must be removed first. */
active proctype p() { skip }
active proctype q() { skip; skip }
active proctype r() { end: false }
