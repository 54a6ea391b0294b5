/* Only the executable processes of the highest priority move. */
byte x;
active proctype low() priority 1 { x = 1; x = 2 }
active proctype high() priority 5 { x = 3; x = 4 }
