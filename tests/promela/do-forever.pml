/* A loop that never ends. */
bit x;
active [2] proctype p() { do :: x = 0 :: x = 1 od }
