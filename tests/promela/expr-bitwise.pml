/* Bitwise operators. */
byte x = 12;
active proctype p() { x = x & 10; assert(x == 8); x = x | 3; assert(x == 11); x = x ^ 255; assert(x == 244); x = ~x; assert(x == 11) }
