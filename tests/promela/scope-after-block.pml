/* A name declared in a block is free again after it. */
byte g;
active proctype p() { { byte t = 4; g = t }; byte t = 5; g = t }
