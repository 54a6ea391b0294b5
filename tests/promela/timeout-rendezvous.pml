/* A possible handshake keeps timeout false. */
chan c = [0] of { byte }; byte x;
active proctype p() { c!1; timeout -> x = 1 }
active proctype q() { c?_; x = 2; end: c?_ }
