/* A macro over several lines. */
#define STEP(v) \
	v++; \
	v = v * 2
byte x;
active proctype p() { STEP(x); STEP(x); assert(x == 6) }
