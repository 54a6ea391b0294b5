/* bit and bool; true and false are numbers. */
bit a = true; bool b = 1;
active proctype p() { assert(a == b); a = !a; b = a || b; assert(b && !a); b = true + true; assert(!b) }
