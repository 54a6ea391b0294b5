/* unsigned of 8, 16 and 31 bits. */
unsigned a : 8; unsigned b : 16; unsigned c : 31;
active proctype p() { a = 256; b = 65536; c = -1; assert(a == 0 && b == 0 && c == 2147483647); b = 65535; b++; assert(b == 0) }
