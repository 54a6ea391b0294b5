/* `for` over the messages of a channel: each is taken out and put back. The channel's one field is a record. */
typedef M { byte x; byte y }; M m; byte s;
chan c = [3] of { M };
active proctype p() { m.x = 1; m.y = 2; c!m; m.x = 3; m.y = 4; c!m; for (m in c) { s = s + m.x * m.y }; assert(s == 14 && len(c) == 2) }
