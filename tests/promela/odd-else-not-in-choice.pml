/* else outside a choice: SPIN takes it as always executable. */
active proctype p() { else -> skip }
