/* A d_step of high priority whose guard is false does not hold back others. */
byte a;
active proctype low() priority 1 { a = 1; a = 2; a = 3 }
active proctype high() priority 2 { d_step { a == 2 -> a = 5; a = 6 }; d_step { if :: a == 3 -> a = 7 :: a == 9 fi; a = 8 } }
