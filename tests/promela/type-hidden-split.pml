/* States that differ only in hidden variables are one. */
hidden byte h; byte x;
active proctype p() { if :: atomic { h = 1; x = 1 } :: atomic { h = 2; x = 1 } fi; x = 2 }
