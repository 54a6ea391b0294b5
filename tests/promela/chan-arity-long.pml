/* More arguments than fields. */
chan c = [1] of { byte };
active proctype p() { c!1,2 }
