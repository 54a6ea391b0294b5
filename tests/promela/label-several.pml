/* Several labels on one statement; one of them makes it a valid end. */
byte x;
active proctype p() { one: two: end_here: x == 9; goto one; goto two }
