/* A receive with constants is executable only if they match the first message. */
chan c = [2] of { byte, byte };
active proctype p() { byte x; c!1,2; c!3,4; if :: c?3,x -> assert(false) :: c?1,x -> assert(x == 2) fi; c?3,4 }
