/* Channel identities compare as numbers. */
chan a = [1] of { byte }; chan b = [1] of { byte };
active proctype p() { assert(a != b); a = b; assert(a == b) }
