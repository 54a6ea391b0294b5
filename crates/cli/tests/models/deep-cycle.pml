/* Accepting states before the cycle, and on it. */
byte x;

active proctype p()
{
accept1:
	x = 1; x = 2; x = 3; x = 4;
accept2:
	x = 5; x = 6;
	goto accept2
}
