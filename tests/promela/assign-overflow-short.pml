/* A short wraps to negative values. */
short s = 32767;
active proctype p() { s++; assert(s == -32768); s = 70000; assert(s == 4464); s = -32769; assert(s == 32767) }
