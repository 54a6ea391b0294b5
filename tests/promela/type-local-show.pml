/* local and show are only hints. */
local byte a; show byte b; byte x;
active proctype p() { a++; b = a; x = b }
