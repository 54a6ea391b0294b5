/* A choice without end. */
active proctype p() { if :: skip }
