/* The same name in two blocks: two variables. */
byte g;
active proctype p() { { byte t; t = 1; g = t }; { byte t; assert(t == 0); t = 2; g = t } }
