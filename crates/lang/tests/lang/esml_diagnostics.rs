//! What people see when their ESML is wrong: whole messages, as printed.

use std::io;
use std::path::Path;

use kripke_lang::render::{render, render_all};
use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("bad.esml") { Ok(self.0.as_bytes().to_vec()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// The first diagnostic for `text` is printed as `expected`.
fn check(text: &str, expected: &str) {
    let read = load(Path::new("bad.esml"), &Text(text), &LoadOptions::default());
    let Some(first) = read.diagnostics.first() else { panic!("no diagnostic for {text:?}") };
    let shown: Vec<String> = render(&read.sources, first, false).lines().map(|l| l.trim_end().to_string()).collect();
    let expected: Vec<String> = expected.trim_matches('\n').lines().map(|l| l.trim_end().to_string()).collect();
    assert_eq!(shown, expected, "\n{}", shown.join("\n"));
}

/// A process with these commands.
fn process(commands: &str) -> String {
    format!("{HEAD}{commands}\nEND P;\nBEGIN P(c, 1) END M\n")
}

const HEAD: &str = "MODEL M;
TYPE int = 0..3; al = {go, val(int)}; queue = LIST [2] OF int; job = (id: int; on: BOOLEAN);
VAR c: al;
PROCESS P(IN c: al; nr: int);
VAR x: int; q: queue; b: BOOLEAN; j: job;
BEGIN
";

#[test]
fn an_open_block_shows_where_it_was_opened() {
    check(
        &process("  DO TRUE ->\n    x := 1"),
        "
error: expected `END` to close this `DO`
 --> bad.esml:9:1
  |
7 |   DO TRUE ->
  |   -- opened here
8 |     x := 1
9 | END P;
  | ^^^ here
  |
  = help: the `END` before `P` closes all of `P`; the `DO` needs its own
",
    );
    check(
        &process("  IF (x = 1 -> SKIP END"),
        "
error: expected `)` to close this parenthesis
 --> bad.esml:7:13
  |
7 |   IF (x = 1 -> SKIP END
  |      -      ^^ expected `)` here
  |      |
  |      opened here
",
    );
}

#[test]
fn slips_of_the_pen() {
    check(
        &process("  x := 1;"),
        "
error: expected a command, found keyword `END`
 --> bad.esml:8:1
  |
8 | END P;
  | ^^^ expected a command
  |
  = help: `;` stands between commands, not after the last one; `SKIP` does nothing
",
    );
    check(
        &process("  x = 1"),
        "
error: expected `:=`, `!` or `?`, found `=`
 --> bad.esml:7:5
  |
7 |   x = 1
  |     ^ expected `:=`, `!` or `?`
  |
  = help: to assign, write `:=`
",
    );
    check(
        &process("  if b -> SKIP END"),
        "
error: keywords are written in capitals
 --> bad.esml:7:3
  |
7 |   if b -> SKIP END
  |   ^^ expected `IF`
",
    );
    check(
        &process("  x := 1\n  b := TRUE"),
        "
error: expected `;` after this command
 --> bad.esml:7:9
  |
7 |   x := 1
  |         ^ expected `;` here
",
    );
    check(
        "MODEL M; PROCESS P; BEGIN SKIP END Q;\nBEGIN P END M",
        "
error: this is the end of `P`, not of `Q`
 --> bad.esml:1:36
  |
1 | MODEL M; PROCESS P; BEGIN SKIP END Q;
  |                  - what ends here  ^ expected `P`
",
    );
    check(
        "MODEL M; VAR a_b: t;\nBEGIN P END M",
        "
error: expected `:` and a type, found `_`
 --> bad.esml:1:15
  |
1 | MODEL M; VAR a_b: t;
  |               ^ expected `:` and a type
  |
  = help: names are made of letters and digits
",
    );
}

#[test]
fn names_that_are_not_there() {
    check(
        &process("  x := y"),
        "
error: there is no variable `y`
 --> bad.esml:7:8
  |
7 |   x := y
  |        ^ not declared
",
    );
    check(
        &process("  c?vall(x)"),
        "
error: `al` has no message `vall`
 --> bad.esml:7:5
  |
7 |   c?vall(x)
  |     ^^^^ no such message
  |
  = help: did you mean `val`?
",
    );
    check(
        &process("  j.ids := 1"),
        "
error: `job` has no field `ids`
 --> bad.esml:7:5
  |
7 |   j.ids := 1
  |     ^^^ no such field
  |
  = help: did you mean `id`?
",
    );
    check(
        "MODEL M;\nBEGIN P END M",
        "
error: there is no process `P`
 --> bad.esml:2:7
  |
2 | BEGIN P END M
  |       ^ not declared
",
    );
}

#[test]
fn types_that_do_not_fit() {
    check(
        &process("  x := b"),
        "
error: this is BOOLEAN, not an integer
 --> bad.esml:7:8
  |
7 |   x := b
  |        ^ expected an integer
",
    );
    check(
        &process("  b := q = x"),
        "
error: values of different types cannot be equal
 --> bad.esml:7:12
  |
7 |   b := q = x
  |        -   ^ this is an integer
  |        |
  |        this is of type `queue`
",
    );
    check(
        &process("  IF x -> SKIP END"),
        "
error: this is an integer, not BOOLEAN
 --> bad.esml:7:6
  |
7 |   IF x -> SKIP END
  |      ^ expected BOOLEAN
",
    );
    check(
        &process("  x := q[1]"),
        "
error: `queue` is no array
 --> bad.esml:7:10
  |
7 |   x := q[1]
  |          ^ an index of what?
  |
  = help: `HEAD(list)` is the first element of a list; the others can't be read
",
    );
    check(
        &process("  c?val(b)"),
        "
error: the message carries `int`
 --> bad.esml:7:9
  |
7 |   c?val(b)
  |         ^ this is BOOLEAN
",
    );
    check(
        &process("  c?val"),
        "
error: `val` carries data
 --> bad.esml:7:5
  |
7 |   c?val
  |     ^^^ expected `(int)`
",
    );
}

#[test]
fn what_is_not_allowed() {
    check(
        &process("  c!go"),
        "
error: `c` is an `IN` channel: it can only be received from
 --> bad.esml:7:3
  |
4 | PROCESS P(IN c: al; nr: int);
  |              - declared here
...
7 |   c!go
  |   ^^^^ not allowed
",
    );
    check(
        &process("  nr := 2"),
        "
error: `nr` is a parameter and cannot be changed
 --> bad.esml:7:3
  |
7 |   nr := 2
  |   ^^ read-only
",
    );
    check(
        &process("  P(c, 1)"),
        "
error: processes are started in the body of the model only
 --> bad.esml:7:3
  |
7 |   P(c, 1)
  |   ^ not a command of a process
  |
  = help: a process cannot start another one
",
    );
    check(
        "MODEL M;\nTYPE int = 0..3;\nVAR n: int;\nBEGIN P END M",
        "
error: only channels can be shared by processes
 --> bad.esml:3:5
  |
3 | VAR n: int;
  |     ^ not a channel
  |
  = help: `int` is a type of data; declare the variable in a process
",
    );
    check(
        &format!("{HEAD}{}", "  SKIP\nEND P;\nBEGIN P(c, 4) END M\n"),
        "
error: this value is not in the range 0..3
 --> bad.esml:9:12
  |
9 | BEGIN P(c, 4) END M
  |            ^ this is 4
",
    );
    check(
        &format!("{HEAD}{}", "  SKIP\nEND P;\nBEGIN P(c) END M\n"),
        "
error: `P` has 2 parameters, here it gets 1
 --> bad.esml:9:7
  |
4 | PROCESS P(IN c: al; nr: int);
  |         - declared here
...
9 | BEGIN P(c) END M
  |       ^^^^ wrong number of arguments
",
    );
}

#[test]
fn doubtful_text_is_warned_of() {
    check(
        &process("  b := b & b = b"),
        "
warning: relations bind stronger than `&` and `OR`
 --> bad.esml:7:12
  |
7 |   b := b & b = b
  |            ^^^^^ taken together: is this what you mean?
  |
  = help: parentheses make it certain
",
    );
    check(
        &process("  b := b OR b & b"),
        "
warning: `&` binds stronger than `OR`
 --> bad.esml:7:8
  |
7 |   b := b OR b & b
  |        ^^^^^-----
  |        |    |
  |        |    taken together
  |        is this what you mean?
  |
  = help: parentheses make it certain
",
    );
    check(
        &process("  x := 7"),
        "
warning: this value is never in the range 0..3
 --> bad.esml:7:8
  |
7 |   x := 7
  |        ^ always a fault
",
    );
    check(
        &format!("{HEAD}{}", "  SKIP\nEND P;\nBEGIN P(c, 1) END M; ASSERT AG (P.x = 1) & P.b\n"),
        "
warning: `AG` applies to all that follows
 --> bad.esml:9:29
  |
9 | BEGIN P(c, 1) END M; ASSERT AG (P.x = 1) & P.b
  |                             ^^^---------------
  |                             |  |
  |                             |  its operand
  |                             is this what you mean?
  |
  = help: parentheses make it certain
",
    );
}

#[test]
fn conditions_are_read_in_the_context_of_the_model() {
    let text = process("  SKIP");
    let read = |condition: &str| {
        let mut read = load(Path::new("bad.esml"), &Text(&text), &LoadOptions::default());
        match read.conditions(&[condition.to_string()]) {
            Ok(conditions) => (conditions.len(), render_all(&read.sources, &read.diagnostics, false)),
            Err(errors) => (0, render_all(&read.sources, &errors, false)),
        }
    };
    assert_eq!(read("P.x = 1 & (P.q = P.q OR P.j.on)"), (1, String::new()));
    let (none, why) = read("P.x = ");
    assert_eq!(none, 0);
    assert!(why.contains("expected an expression, found the end of the text"), "{why}");
    let (none, why) = read("P.z = 1");
    assert_eq!(none, 0);
    assert!(why.contains("`P` has no variable `z`"), "{why}");
}

#[test]
fn deep_text_is_refused_but_never_overflows() {
    for (open, middle, close) in [
        ("b := ", "(", "TRUE"),
        ("b := ", "~", "TRUE"),
        ("x := ", "1 + ", "1"),
        ("x := ", "x MOD ", "1"),
        ("", "IF TRUE -> ", "SKIP"),
        ("", "DO TRUE -> ", "SKIP"),
        ("x := ", "HEAD(", "q"),
        ("x", "[x", ""),
    ] {
        let text = process(&format!("{open}{}{close}", middle.repeat(100_000)));
        let read = load(Path::new("bad.esml"), &Text(&text), &LoadOptions::default());
        let why = render_all(&read.sources, &read.diagnostics, false);
        assert!(why.contains("too deeply") || why.contains("too large"), "{open}{middle}: {why}");
    }
}

#[test]
fn absurd_types_are_refused() {
    for ty in
        ["ARRAY [1000000000] OF BOOLEAN", "LIST [5000] OF BOOLEAN", "ARRAY [0] OF BOOLEAN", "3..2", "0..2147483648"]
    {
        let read = load(
            Path::new("bad.esml"),
            &Text(&format!("MODEL M; TYPE t = {ty}; BEGIN P END M")),
            &LoadOptions::default(),
        );
        assert!(read.model.is_none() && !read.diagnostics.is_empty(), "{ty}");
    }
    let copies = "a := a; ".repeat(1_000);
    let text = format!(
        "MODEL M; TYPE t = ARRAY [4000] OF BOOLEAN; PROCESS P; VAR a: t; BEGIN {copies} SKIP END P; BEGIN P END M"
    );
    let read = load(Path::new("bad.esml"), &Text(&text), &LoadOptions::default());
    assert!(render_all(&read.sources, &read.diagnostics, false).contains("this model is too large"));
}
