/* Many processes in an atomic. */
byte n;
proctype p() { false }
init { atomic { do :: n < 253 -> run p(); n++ :: else -> break od } }
