/* Records with channels that are created with them. */
typedef Port { chan c = [1] of { byte } };
Port p[2];
active proctype q() { byte x; p[0].c!1; p[1].c!2; p[0].c?x; assert(x == 1 && len(p[1].c) == 1) }
