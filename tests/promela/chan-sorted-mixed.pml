/* Sorted and ordinary sends into one channel. */
chan c = [4] of { byte };
active proctype p() { byte x; c!5; c!1; c!!3; c?x; assert(x == 3); c?x; assert(x == 5); c?x; assert(x == 1) }
