/* A channel of bool. */
chan c = [3] of { bool };
active proctype p() { bool x; c!true; c!false; c!5; c?x; assert(x); c?x; assert(!x); c?x; assert(x) }
