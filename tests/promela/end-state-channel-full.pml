/* Messages left in a channel are no error. */
chan c = [2] of { byte };
active proctype p() { c!1 }
