/* A blocked process of high priority lets others move. */
byte x;
active proctype low() priority 1 { x = 1; x = 2; x = 3 }
active proctype high() priority 5 { x == 2 -> x = 9; x = 10 }
