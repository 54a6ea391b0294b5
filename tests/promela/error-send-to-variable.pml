/* Sending to something that is no channel. */
byte x;
active proctype p() { x!1 }
