/* An `end` label inside an option, after its first statement. */
chan c = [1] of { byte };
active proctype p() { do :: skip; endwait: c?_ ; skip od }
active proctype q() { c!1 }
