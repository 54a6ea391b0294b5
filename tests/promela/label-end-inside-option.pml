/* A label on the first statement of an option: SPIN complains and goes on, and waiting there is not a valid end. */
chan c = [1] of { byte };
active proctype p() { do :: endwait: c?_ ; skip od }
active proctype q() { c!1 }
