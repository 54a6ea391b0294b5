active proctype p() { skip } /* no end
