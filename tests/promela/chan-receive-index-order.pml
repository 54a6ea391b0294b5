/* A receive that stores into an index it also receives. */
byte a[3]; byte i;
chan c = [1] of { byte, byte };
active proctype p() { c!2,9; c?i,a[i]; assert(i == 2) ; assert(a[0] == 9 || a[2] == 9) }
