/* Stores cut off: 200 + 100 in a byte is 44. */
byte b = 200;
active proctype p() { b = b + 100; assert(b == 44); b = b - 45; assert(b == 255); b++; assert(b == 0); b--; assert(b == 255) }
