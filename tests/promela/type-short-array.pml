/* Arrays of short and int. */
short s[3] = -2; int i[2] = 100000;
active proctype p() { s[2] = s[0] * s[1]; i[1] = i[0] * i[0]; assert(s[2] == 4); assert(i[1] == 1410065408) }
