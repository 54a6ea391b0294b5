/* assert without argument. */
active proctype p() { assert }
