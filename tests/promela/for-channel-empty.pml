/* for over an empty channel. */
typedef M { byte x }; M m; byte s;
chan c = [2] of { M };
active proctype p() { for (m in c) { s++ }; assert(s == 0) }
