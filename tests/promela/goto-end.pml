/* A jump to a label at the very end of the body. */
byte x;
active proctype p() { do :: x < 3 -> x++ :: x == 2 -> goto done od; done: skip }
