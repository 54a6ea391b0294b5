/* Removal is blocked by a younger process that waits at an end label. */
active proctype p() { skip }
active proctype q() { end: false }
