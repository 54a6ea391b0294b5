/* len, empty, nempty, full, nfull. */
chan c = [2] of { byte };
active proctype p() { assert(empty(c) && nfull(c) && len(c) == 0); c!1; assert(nempty(c) && nfull(c) && len(c) == 1); c!2; assert(full(c) && len(c) == 2); c?_; assert(nfull(c)) }
