/* A receive into an undeclared name. */
chan c = [1] of { byte };
active proctype p() { c?y }
