/* A record field that does not exist. */
typedef R { byte a };
R r;
active proctype p() { r.b = 1 }
