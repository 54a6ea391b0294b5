/* A rendezvous inside a d_step is a fault. */
chan c = [0] of { byte };
active proctype p() { d_step { c!1; skip } }
active proctype q() { c?_ }
