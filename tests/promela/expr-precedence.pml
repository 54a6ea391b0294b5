/* Precedence of operators. */
int r;
active proctype p() {
	r = 2 + 3 * 4; assert(r == 14);
	r = 1 | 6 & 3 ^ 1; assert(r == 3);
	r = 1 << 2 + 1; assert(r == 8);
	r = 7 & 3 == 3; assert(r == 1);
	r = !0 + 1; assert(r == 2);
	r = ~5 & 15; assert(r == 10);
	r = 10 - 3 - 2; assert(r == 5);
	r = 100 / 10 / 2; assert(r == 5);
	r = 1 < 2 == 1; assert(r == 1);
	r = (0 || 1 && 0); assert(r == 0);
	r = -3 + 1; assert(r == -2)
}
