/* eval of a variable in a receive. */
chan c = [2] of { byte };
byte w = 5;
active proctype p() { c!4; c!5; c?eval(w - 1); c?eval(w); w = 0 }
active proctype q() { skip }
