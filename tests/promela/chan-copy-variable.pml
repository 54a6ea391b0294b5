/* `?<>` with constants and variables. */
chan c = [1] of { byte, byte }; byte n;
active proctype p() { c!3,4 }
active proctype q() { if :: c?<3,n> -> assert(n == 4) :: c?<4,n> -> assert(false) fi; c?n,_ }
