/* A remote reference to a label that does not exist is refused. */
active proctype p() { skip }
active proctype q() { p@nowhere }
