/* Semicolons where none are needed. */
byte x;;
active proctype p() { x = 1;; x = 2; if :: x == 2; x = 3; :: else; fi; do :: x < 5; x++; :: else -> break; od; };
