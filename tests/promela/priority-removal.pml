/* Removal of finished processes under priorities. */
active proctype p() priority 1 { skip; skip }
active proctype q() priority 5 { skip }
active proctype r() priority 3 { skip }
