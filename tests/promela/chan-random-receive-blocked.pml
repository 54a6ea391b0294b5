/* `??` blocks while nothing matches. */
chan c = [2] of { byte };
active proctype p() { c!1; c!2 }
active proctype q() { c??2; c??3 }
