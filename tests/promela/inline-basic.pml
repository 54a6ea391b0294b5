/* Parameters of an inline are replaced as text. */
byte x = 2;
inline twice(v) { v = v + v }
active proctype p() { twice(x); twice(x); assert(x == 8) }
