/* `for` over a channel needs a channel whose single field is a record: this is refused. */
chan c = [3] of { byte, byte }; typedef M { byte x; byte y }; M m; byte s;
active proctype p() { c!1,2; for (m in c) { s = s + m.x } }
