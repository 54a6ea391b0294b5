/* A missing parenthesis. */
active proctype p( { skip }
