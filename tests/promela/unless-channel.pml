/* An escape that is a receive on a buffered channel. */
chan c = [1] of { byte }; byte x;
active proctype p() { { do :: x = 1 - x od } unless { c?_ -> skip } }
active proctype q() { c!1 }
