/* Fewer arguments than fields. */
chan c = [1] of { byte, byte };
active proctype p() { byte x; c!1; c?x,_ }
