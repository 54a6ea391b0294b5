/* Embedded C: SPIN takes it, Kripke says that it does not. */
active proctype p() { c_code { ; } }
