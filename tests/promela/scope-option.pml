/* Declarations in options. */
byte g;
active proctype p() { if :: byte a = 2; g = a :: byte b = 3; g = b fi }
