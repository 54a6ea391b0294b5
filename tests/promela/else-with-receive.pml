/* `else` beside a receive on a buffered channel. */
chan c = [1] of { byte }; byte n;
active proctype p() { do :: c?_ -> n++ :: else -> break od }
active proctype q() { c!1; c!2 }
