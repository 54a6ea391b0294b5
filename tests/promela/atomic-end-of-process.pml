/* An atomic sequence as the last statement: then the process ends. */
byte x;
active [2] proctype p() { x++; atomic { x++; x++ } }
