//! Mutated DVE models, and mutated macros of such models.

use crate::mutation::{Language, survive};

/// Models that need no file: the test has something to mutate on any machine.
const OWN: &[&str] = &[
    "const int N = 3; byte a[3] = {1, 2, 3}, b; int c = -1;\n\
     channel u, v; channel {byte, int} t[4], r[0];\n\
     process P { byte x = 1; state s0, s1, s2; commit s1; init s0; accept s2; assert s0: x > 0;\n\
     trans s0 -> s1 { guard x == 1 and not P.s2; sync u!; effect x = 2, a[x] = 0; }, -> s2 { sync t!{1, c}; },\n\
     s1 -> s0 { sync r?{x, c}; }, s2 -> s2 {}; }\n\
     process Q { state q; init q; trans q -> q { sync u?; }, q -> q { sync t?{b, c}; effect c = c % 3; }; }\n\
     process L { byte n; state q; init q; trans q -> q { guard Q.q imply P->x > n; }; }\nsystem async property L;\n",
    "byte x; process P { state a; init a; trans a -> a { effect x = 1 - x; }; }\nsystem sync;\n",
];

const WORDS: &[&str] = &[
    "process",
    "P",
    "{",
    "}",
    "state",
    "a, b",
    "init a;",
    "accept",
    "commit",
    "trans",
    "a -> b",
    "->",
    "guard",
    "sync",
    "effect",
    "assert",
    "system async;",
    "system sync",
    "property P",
    "byte",
    "int",
    "const",
    "channel",
    "c",
    "c!",
    "c?x",
    "{1, 2}",
    "{byte, int}",
    "[0]",
    "[256]",
    "[1000000000]",
    "[-1]",
    "= {1,",
    "= 300",
    ";",
    ",",
    ".",
    "P.a",
    "P->x",
    "P->a[0]",
    "and",
    "or",
    "not",
    "imply",
    "true",
    "false",
    "==",
    "=",
    "!=",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "~",
    "-",
    "--",
    "/ 0",
    "% 0",
    "(",
    ")",
    "//",
    "/*",
    "*/",
    "2147483648",
    "-2147483648",
    "0",
    "\0",
    "\u{e9}",
    "\u{feff}",
    "#",
    "`",
    "\"",
];

const BOMBS: &[&str] = &[
    "(",
    "{",
    "[",
    "not ",
    "-",
    "a[",
    "P->a[",
    "1+",
    "process P {",
    "a -> b {",
    "guard ",
    "trans ",
    ",",
    "byte x;",
    "c!{",
];

/// Texts with macros.
const OWN_MACROS: &[&str] = &[
    "default(`N', 3)define(`f', `$1[$2] $# $*')\nbyte a[N];\nforloop(`i', 0, decr(N), `process P_`'i { state s; init s;\n\
     trans s -> s { guard f(a, i) == eval(i * 2 % N); effect a[i] = ifelse(i, 0, 1, 2); }; }\n')system async;\n",
    "divert(-1)define(`x', `ifelse($1, 0, `', `$1 x(decr($1))')')divert`'dnl gone\nbyte v = len(`abc'); # x(3)\n\
     process P { state s; init s; trans s -> s { }; } pushdef(`y', 1)popdef(`y')shift(a, b)system async;\n",
];

const MACRO_WORDS: &[&str] = &[
    "define(",
    "undefine(",
    "pushdef(",
    "popdef(",
    "ifdef(",
    "ifelse(",
    "eval(",
    "incr(",
    "decr(",
    "shift($@)",
    "len(",
    "index(",
    "substr(",
    "translit(",
    "dnl",
    "divert(-1)",
    "divert(2147483647)",
    "divert",
    "undivert",
    "divnum",
    "include(input.mdve)",
    "sinclude(x)",
    "changequote([, ])",
    "changequote",
    "changecom",
    "forloop(`i', 0, 1000000000, `i')",
    "myloop(i, 0, 3, `x', `,')",
    "default(`N', 2)",
    "define(`x', `x x')",
    "define(`z', `z(`$1$1')')z(abc)",
    "x",
    "z(",
    "N",
    "`",
    "'",
    "``",
    "''",
    "(",
    ")",
    ",",
    "$1",
    "$@",
    "$#",
    "$*",
    "$99999999999",
    "1/0",
    "2**99999",
    "0x",
    "1 <<",
    "\n",
    "#",
    "//",
    "\u{e9}",
    "\0",
    "syscmd(ls)",
    "defn(`x')",
];

const MACRO_BOMBS: &[&str] =
    &["(", "`", "'", "define(`q', ", "eval(", "incr(", "$1", "x(", "ifelse(", ",", "divert(1)", "-"];

#[test]
fn no_input_panics_or_hangs() {
    survive(&Language {
        input: "input.dve",
        own: OWN,
        folders: &["../../examples", "../../../shared/corpus/dve", "../../../shared/corpus/seed-models"],
        endings: &["dve"],
        words: WORDS,
        bombs: BOMBS,
        cost: 1,
    });
}

#[test]
fn no_macro_panics_or_hangs() {
    survive(&Language {
        input: "input.mdve",
        own: OWN_MACROS,
        folders: &["../../examples"],
        endings: &["mdve"],
        words: MACRO_WORDS,
        bombs: MACRO_BOMBS,
        // Macros that use themselves go on until there is too much text.
        cost: 20,
    });
}
