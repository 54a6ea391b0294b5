/* `??[]` looks at every message. */
chan c = [3] of { byte };
active proctype p() { c!1; c!2; assert(c??[2] && !c??[3] && !c?[2]); c?1; assert(c?[2]) }
