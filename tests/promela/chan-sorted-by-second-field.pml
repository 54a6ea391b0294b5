/* Sorting looks at later fields when earlier ones are equal. */
chan c = [4] of { byte, short };
active proctype p() { short y; c!!1,-5; c!!1,3; c!!1,-7; c?_,y; assert(y == -7); c?_,y; assert(y == -5) }
