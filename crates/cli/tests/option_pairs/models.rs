//! Models whose answers were found by hand; each says why.

/// Whether something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Holds,
    Violated,
    /// Violated, but not on runs that are fair in any sense.
    HoldsIfFair,
}

use Answer::{Holds, HoldsIfFair, Violated};

/// A model with questions and their answers.
pub struct Known {
    pub name: &'static str,
    pub ending: &'static str,
    pub lang: &'static str,
    pub text: &'static str,
    /// Kinds of the reachable errors of safety.
    pub errors: &'static [&'static str],
    /// The property that the model states: name, kind, answer.
    pub stated: Option<(&'static str, &'static str, Answer)>,
    pub ltl: (&'static str, Answer),
    pub ctl: (&'static str, Answer),
    /// A condition, and whether a state with it can be reached.
    pub reach: (&'static str, bool),
    pub acceptance: Answer,
    pub progress: Answer,
}

impl Known {
    /// The negation of a condition, in the language of the model.
    pub fn negated(&self, condition: &str) -> String {
        let not = match self.lang {
            "dve" => "not ",
            "esml" => "~",
            _ => "!",
        };
        format!("{not}({condition})")
    }
}

/// Peterson's algorithm. A process that goes around while the other one waits gives the turn away and has to wait itself:
/// there is no infinite run on which one of them waits for ever.
const PETERSON: Known = Known {
    name: "peterson",
    ending: "pml",
    lang: "promela",
    text: "bool want[2]; byte turn; byte critical;
active [2] proctype user() {
    do
    :: want[_pid] = true; turn = 1 - _pid;
       (!want[1 - _pid] || turn == _pid);
       critical++; assert(critical == 1); critical--;
       want[_pid] = false
    od
}
ltl served { [] (want[0] -> <> !want[0]) }
",
    errors: &[],
    stated: Some(("served", "ltl", Holds)),
    ltl: ("[] (critical < 2)", Holds),
    ctl: ("AG (critical < 2)", Holds),
    reach: ("critical == 2", false),
    acceptance: Holds,
    progress: Violated,
};

/// Two philosophers take the forks in different orders: both may have one. Nobody eats after that.
const PHILOSOPHERS: Known = Known {
    name: "philosophers",
    ending: "pml",
    lang: "promela",
    text: "bool fork[2]; byte eating;
active [2] proctype philosopher() {
    do
    :: atomic { !fork[_pid] -> fork[_pid] = true };
       atomic { !fork[1 - _pid] -> fork[1 - _pid] = true };
       eating++; eating--;
       fork[_pid] = false; fork[1 - _pid] = false
    od
}
",
    errors: &["invalid_end_state"],
    stated: None,
    ltl: ("[] (eating < 2)", Holds),
    ctl: ("AG EF (eating == 1)", Violated),
    reach: ("fork[0] && fork[1]", true),
    acceptance: Holds,
    progress: Violated,
};

/// Two increments without a lock. Every run ends, with both done.
const RACE: Known = Known {
    name: "race",
    ending: "pml",
    lang: "promela",
    text: "byte n; byte done;
active [2] proctype increment() { byte t; t = n; n = t + 1; done++; (done == 2); assert(n == 2) }
",
    errors: &["assertion"],
    stated: None,
    ltl: ("<> (done == 2)", Holds),
    ctl: ("AF (done == 2)", Holds),
    reach: ("n == 1 && done == 2", true),
    acceptance: Holds,
    progress: Holds,
};

/// Walks past the end of an array.
const WALK: Known = Known {
    name: "walk",
    ending: "pml",
    lang: "promela",
    text: "byte a[4]; byte i;
active proctype walk() { do :: i < 5 -> a[i] = 1; i++ :: i == 5 -> break od }
active proctype other() { byte x; do :: x < 3 -> x++ :: else -> break od }
",
    errors: &["index_out_of_range"],
    stated: None,
    ltl: ("[] (i < 5)", Holds),
    ctl: ("EF (i == 4)", Holds),
    reach: ("i == 4", true),
    acceptance: Holds,
    progress: Holds,
};

/// One process passes an `accept` label again and again if it moves; the other one never ends.
const ACCEPT: Known = Known {
    name: "accept",
    ending: "pml",
    lang: "promela",
    text: "byte x;
active proctype loop() { do :: x = 1 - x; if :: x == 1 -> accept: skip :: else fi od }
active proctype noise() { byte y; do :: y = 1 - y od }
",
    errors: &[],
    stated: None,
    ltl: ("[] <> (x == 1)", HoldsIfFair),
    ctl: ("AG EF (x == 1)", Holds),
    reach: ("x == 1", true),
    acceptance: Violated,
    progress: Violated,
};

/// One process makes progress whenever it moves twice; the other one may keep it from moving.
const PROGRESS: Known = Known {
    name: "progress",
    ending: "pml",
    lang: "promela",
    text: "byte x;
active proctype worker() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 od }
active proctype idler() { byte y; do :: y = 1 - y od }
",
    errors: &[],
    stated: None,
    ltl: ("<> (x == 1)", HoldsIfFair),
    ctl: ("AF (x == 1)", HoldsIfFair),
    reach: ("x > 1", false),
    acceptance: Holds,
    progress: HoldsIfFair,
};

/// Five users of a lock that are alike, each counting to three: every infinite run takes the lock again and again.
const LOCK: Known = Known {
    name: "lock",
    ending: "pml",
    lang: "promela",
    text: "byte inside; chan lock = [1] of { bit };
active [5] proctype user() {
    byte k;
    do :: lock!1; inside++; assert(inside == 1); inside--; k = (k + 1) % 3; lock?_ od
}
",
    errors: &[],
    stated: None,
    ltl: ("[] <> (inside == 1)", Holds),
    ctl: ("AG (inside < 2)", Holds),
    reach: ("inside == 2", false),
    acceptance: Holds,
    progress: Violated,
};

/// A claim that ends when a counter is 3, which it becomes.
const CLAIM: Known = Known {
    name: "claim",
    ending: "pml",
    lang: "promela",
    text: "byte x;
active proctype count() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { do :: x != 3 :: x == 3 -> break od }
",
    errors: &[],
    stated: Some(("never_0", "never", Violated)),
    ltl: ("[] <> (x == 2)", Holds),
    ctl: ("AG (x < 4)", Holds),
    reach: ("x == 4", false),
    acceptance: Holds,
    progress: Violated,
};

/// Strict alternation: neither process can go around without the other.
const ALTERNATION: Known = Known {
    name: "alternation",
    ending: "dve",
    lang: "dve",
    text: "byte turn;
process A { state n, w, c; init n; trans n -> w {}, w -> c { guard turn == 0; }, c -> n { effect turn = 1; }; }
process B { state n, w, c; init n; trans n -> w {}, w -> c { guard turn == 1; }, c -> n { effect turn = 0; }; }
system async;
",
    errors: &[],
    stated: None,
    ltl: ("G F A.c", Holds),
    ctl: ("AG EF B.c", Holds),
    reach: ("A.c and B.c", false),
    acceptance: Holds,
    progress: Violated,
};

/// A property process that waits for a counter to be 3, which it becomes.
const WATCHED: Known = Known {
    name: "watched",
    ending: "dve",
    lang: "dve",
    text: "byte x;
process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }, a -> a { guard x == 3; effect x = 0; }; }
process watch { state s, t; init s; accept t; trans s -> s {}, s -> t { guard x == 3; }, t -> t {}; }
system async property watch;
",
    errors: &[],
    stated: Some(("watch", "process", Violated)),
    ltl: ("G F (x == 2)", Holds),
    ctl: ("AG (x < 3)", Violated),
    reach: ("x == 3", true),
    acceptance: Holds,
    progress: Violated,
};

/// A counter of ticks that begins again.
const COUNTER: Known = Known {
    name: "counter",
    ending: "esml",
    lang: "esml",
    text: "MODEL Counter;
TYPE int = 0..3; clock = {tick, tock};
VAR c: clock;
PROCESS Clock(OUT c: clock);
BEGIN DO TRUE -> c!tick END END Clock;
PROCESS Count(IN c: clock);
VAR n: int;
BEGIN DO n < 3 -> c?tick; n := n + 1 [] n = 3 -> n := 0 END END Count;
BEGIN Clock(c); Count(c) END Counter
ASSERT AG (Count.n <= 3)
",
    errors: &[],
    stated: Some(("ASSERT", "ctl", Holds)),
    ltl: ("G F (Count.n = 0)", Holds),
    ctl: ("AG EF (Count.n = 3)", Holds),
    reach: ("Count.n = 3", true),
    acceptance: Holds,
    progress: Violated,
};

/// The second message is not the one that is waited for.
const STUCK: Known = Known {
    name: "stuck",
    ending: "esml",
    lang: "esml",
    text: "MODEL Stuck;
TYPE int = 0..3; two = {a, b};
VAR c: two;
PROCESS L(OUT c: two);
VAR n: int;
BEGIN n := 1; c!a; n := 2; c!a; n := 3 END L;
PROCESS R(IN c: two);
BEGIN c?a; c?b END R;
BEGIN L(c); R(c) END Stuck
ASSERT AF (L.n = 3)
",
    errors: &["invalid_end_state"],
    stated: Some(("ASSERT", "ctl", Violated)),
    ltl: ("F (L.n = 2)", Holds),
    ctl: ("EF (L.n = 3)", Violated),
    reach: ("L.n = 3", false),
    acceptance: Holds,
    progress: Holds,
};

pub const MODELS: [Known; 12] =
    [PETERSON, PHILOSOPHERS, RACE, WALK, ACCEPT, PROGRESS, LOCK, CLAIM, ALTERNATION, WATCHED, COUNTER, STUCK];
