/* An expression without eval in a receive. */
chan c = [1] of { byte }; byte x;
active proctype p() { c!2; c?x + 1 }
