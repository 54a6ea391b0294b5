/*
 * Two processes add a common number to itself: each reads it, adds what it is by then, and writes the sum. Which sums
 * can come out? (A puzzle by Bang, in many collections of models.) States differ in the values of a few integers alone.
 */
#ifndef LIMIT
#define LIMIT 500
#endif

int c = 1;

active [2] proctype adder()
{
    int x;
end:
    do
    :: c < LIMIT -> x = c; x = x + c; c = x
    od
}
