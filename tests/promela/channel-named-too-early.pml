/* Global records start after global channels, so the name of a channel in one is not there yet. */
typedef T { chan c = [1] of { bit }; byte x };
T t;
chan K = [1] of { bit };
byte early = K;
int late = K;
chan G = t.c;
active proctype P() { chan own = K; own!1; K?1; assert(early == 0); assert(late == K); assert(G == 0) }
