/* Remainder by zero is a fault. */
int r = 3, z;
active proctype p() { if :: r % z == 0 -> skip :: else fi }
