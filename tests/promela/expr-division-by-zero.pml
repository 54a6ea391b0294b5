/* Division by zero is a fault. */
int r, z;
active proctype p() { z = 0; r = 5 / z }
