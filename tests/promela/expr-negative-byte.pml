/* A negative constant stored in a byte. */
byte x; short s; 
active proctype p() { x = -1; assert(x == 255); s = x; assert(s == 255); s = -x; assert(s == -255) }
