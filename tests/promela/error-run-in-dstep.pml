/* run inside a d_step. */
proctype q() { skip }
active proctype p() { d_step { run q(); skip } }
