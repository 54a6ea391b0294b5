/* An int is 32 bits. */
int i = 2147483647;
active proctype p() { i = i - 1; assert(i == 2147483646); i = i * 2; assert(i == -4) }
