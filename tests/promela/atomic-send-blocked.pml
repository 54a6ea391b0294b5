/* A send that blocks inside an atomic sequence. */
chan c = [1] of { byte };
active proctype p() { atomic { c!1; c!2; c!3 } }
active proctype q() { byte x; c?x; c?x; c?x }
