/* A remote array element. */
byte x;
active proctype p() { byte v[2]; v[1] = 5; skip }
active proctype q() { p:v[1] == 5 -> x = 1 }
