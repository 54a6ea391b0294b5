/* A jump out of a for. */
byte i;
active proctype p() { for (i : 0 .. 9) { if :: i == 2 -> goto out :: else fi }; assert(false); out: skip }
