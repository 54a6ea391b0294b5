/* A jump to nowhere. */
active proctype p() { goto nowhere }
