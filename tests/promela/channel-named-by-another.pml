/* A global channel variable that starts as another's name: both mean one channel. */
chan K = [1] of { bit };
chan G = K;
chan A[2] = [1] of { byte };
chan B = A[1];
chan C[3] = B;

proctype Q(chan q) { q!7 }

active proctype P() {
	byte b;
	bit c;
	G!1; assert(len(K) == 1); K?c; assert(c == 1);
	run Q(C[2]);
	A[1]?b; assert(b == 7);
	assert(B == A[1] && C[0] == B && G == K && B != A[0])
}
