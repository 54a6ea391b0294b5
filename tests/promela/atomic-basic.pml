/* The states between the statements of an atomic sequence are not stored. */
byte x;
active [2] proctype p() { atomic { x++; x++; x-- }; x = 0 }
