//! The models that are debugged: records, arrays, channels, inlines, output, in three languages.

pub const PROMELA: &str = r#"mtype = { request, reply };
typedef node { byte kids[2]; bit used };
node tree[2];
chan to = [2] of { mtype, byte };
byte critical;
inline enter(n) {
	critical++;
	tree[n].kids[1] = critical
}
active [2] proctype user() {
	byte mine;
	byte seen[2];
	do
	:: to!request(_pid) -> progress: mine++; seen[mine % 2] = mine
	:: to?request(mine) -> enter(_pid);
	   printf("in %d\n", mine);
	   assert(critical < 3)
	od
}
"#;

pub const DVE: &str = "byte shared = 0;
byte table[3] = {1, 2, 3};
channel {byte, byte} wire[2];

process Writer {
    byte sent = 0;
    state idle, busy;
    init idle;
    assert busy : shared < 3;
    trans
        idle -> busy { guard sent < 9; sync wire!{sent, shared}; effect sent = sent + 1; },
        busy -> idle { effect table[shared] = sent; };
}

process Reader {
    byte got = 0, from = 0;
    state waiting, full;
    init waiting;
    trans
        waiting -> full { sync wire?{got, from}; },
        full -> waiting { effect shared = shared + 1; };
}

system async;
";

pub const ESML: &str = r#"MODEL User;
TYPE
  int = 0..3;
  pair = (a: int; b: BOOLEAN);
  pairs = ARRAY [2] OF pair;
  alphabet = {stop, number(int), both(pair)};
VAR c: alphabet;

PROCESS Sender(OUT c: alphabet);
VAR n: int; p: pairs;
BEGIN
  DO TRUE ->
    p[1].a := n; p[1].b := TRUE;
    c!both(p[1]);
    n := n + 1
  END
END Sender;

PROCESS Receiver(IN c: alphabet);
VAR got: pair; rounds: int;
BEGIN
  DO rounds < 2 ->
    c?both(got);
    rounds := rounds + 1;
    TRACE("got ", got.a)
  END
END Receiver;

BEGIN
  Sender(c); Receiver(c)
END User
"#;

/// A process that goes round, for cycles.
pub const CYCLE: &str = "byte n;
active proctype first() { n = 5; do :: n == 5 -> n = 6 :: n == 6 -> n = 7 :: n == 7 -> n = 5 od }
active proctype second() { end: do :: n == 9 -> progress: skip od }
";
