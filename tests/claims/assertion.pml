/* The assertion is judged before the processes move: it fails where n is 3. */
byte n;
active proctype count() { do :: n < 4 -> n++ od }
never { do :: assert(n != 3) od }
