/* A negative index. */
byte a[2]; int i = -1;
active proctype p() { i < 0; i = a[i] }
