/* A choice of one option, and a choice ending a choice. */
byte x;
active proctype p() { if :: x = 1 fi; if :: if :: x == 1 fi fi; x = 2 }
