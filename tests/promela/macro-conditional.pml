/* Conditional text. */
#define A 2
#if A > 1 && !defined(B)
#define C 5
#elif defined(B)
#define C 6
#else
#define C 7
#endif
#ifdef C
byte x = C;
#endif
#ifndef C
this is not Promela
#endif
#undef A
#ifdef A
neither is this
#endif
active proctype p() { assert(x == 5) }
