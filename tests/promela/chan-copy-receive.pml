/* `?<>` copies a message without taking it. */
chan c = [2] of { byte };
active proctype p() { byte x; c!3; c!4; c?<x>; assert(x == 3 && len(c) == 2); c?x; c?<4> ; c?4 }
