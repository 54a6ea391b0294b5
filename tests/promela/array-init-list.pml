/* A list initialiser gives each element its own value. */
byte a[4] = { 3, 1, 2, 9 }; byte i;
active proctype p() { assert(a[0] == 3 && a[1] == 1 && a[2] == 2 && a[3] == 9); i = a[2]; a[i] = a[1]; assert(a[2] == 1) }
