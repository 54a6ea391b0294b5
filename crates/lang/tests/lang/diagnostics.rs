//! What people see when their text is wrong: whole messages, as printed.

use std::io;
use std::path::Path;

use kripke_lang::preprocess::Preprocess;
use kripke_lang::promela;
use kripke_lang::render::{render, render_all};
use kripke_lang::source::Loader;

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("bad.pml") { Ok(self.0.as_bytes().to_vec()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// The first diagnostic for `text` is printed as `expected`.
fn check(text: &str, expected: &str) {
    let parsed = promela::parse(Path::new("bad.pml"), &Text(text), &Preprocess::default());
    let Some(first) = parsed.diagnostics.first() else { panic!("no diagnostic for {text:?}") };
    let shown: Vec<String> = render(&parsed.sources, first, false).lines().map(|l| l.trim_end().to_string()).collect();
    let expected: Vec<String> = expected.trim_matches('\n').lines().map(|l| l.trim_end().to_string()).collect();
    assert_eq!(shown, expected, "\n{}", shown.join("\n"));
}

#[test]
fn an_open_bracket_shows_where_it_was_opened() {
    check(
        "active proctype p( {\n  skip\n}\n",
        "
error: expected `)` to close the parameter list
 --> bad.pml:1:20
  |
1 | active proctype p( {
  |                  - ^ expected `)` here
  |                  |
  |                  opened here
",
    );
    check(
        "init {\n  if\n  :: skip -> skip\n}\n",
        "
error: expected `fi` to close this `if`
 --> bad.pml:4:1
  |
2 |   if
  |   -- opened here
3 |   :: skip -> skip
4 | }
  | ^ expected `fi` here
",
    );
}

#[test]
fn macros_show_the_use_and_the_definition() {
    check(
        "#define NEXT(a) (a + )\nint y;\ninit { y = NEXT(1) }\n",
        "
error: expected an expression, found `)`
 --> bad.pml:1:22
  |
1 | #define NEXT(a) (a + )
  |                      ^ expected an expression
2 | int y;
3 | init { y = NEXT(1) }
  |            ------- macro `NEXT` is used here
",
    );
}

#[test]
fn inlines_show_the_call_and_the_body() {
    check(
        "int y;\ninline set(v) {\n  v = = 2\n}\ninit { set(y) }\n",
        "
error: expected an expression, found `=`
 --> bad.pml:3:7
  |
3 |   v = = 2
  |       ^ expected an expression
4 | }
5 | init { set(y) }
  |        --- inline `set` is called here
  |
  = help: `=` assigns; to compare, write `==`
",
    );
}

#[test]
fn misspelt_words_are_recognised() {
    check(
        "init { prinft(\"hello\") }\n",
        "
error: there is no inline `prinft`
 --> bad.pml:1:8
  |
1 | init { prinft(\"hello\") }
  |        ^^^^^^ not defined above
  |
  = help: did you mean `printf`?
",
    );
    check(
        "proctpe P() { skip }\n",
        "
error: expected a declaration, a proctype or init, found `proctpe`
 --> bad.pml:1:1
  |
1 | proctpe P() { skip }
  | ^^^^^^^ expected a declaration, a proctype or init
  |
  = help: did you mean `proctype`?
",
    );
}

#[test]
fn a_line_end_that_ends_a_statement_is_explained() {
    check(
        "init {\n  int x;\n  x = 1 +\n    2;\n  x = 1\n    + 2\n}\n",
        "
error: expected a statement, found `+`
 --> bad.pml:6:5
  |
6 |     + 2
  |     ^ expected a statement
  |
  = help: the statement ended with the line before; put the operator at the end of that line, or add parentheses
",
    );
}

#[test]
fn missing_files_have_no_place() {
    let parsed = promela::parse(Path::new("none.pml"), &Text(""), &Preprocess::default());
    assert_eq!(render_all(&parsed.sources, &parsed.diagnostics, false), "error: there is no file `none.pml`\n\n");
}

#[test]
fn long_lines_are_cut_and_absurd_ones_only_named() {
    for (n, lines) in [(5_000, 5), (50_000, 2)] {
        let text = format!("init {{ {} skip skip {} }}", "skip; ".repeat(n), "; skip".repeat(n));
        let parsed = promela::parse(Path::new("bad.pml"), &Text(&text), &Preprocess::default());
        let shown = render(&parsed.sources, &parsed.diagnostics[0], false);
        assert!(shown.contains(&format!("bad.pml:1:{}", 6 * n + 14)), "{shown}");
        assert!(shown.lines().all(|l| l.len() < 200), "{shown}");
        assert_eq!(shown.lines().count(), lines, "{shown}");
    }
}

#[test]
fn only_so_many_errors_are_shown() {
    let text: String = (0..60).map(|i| format!("init {{ x{i} = ; skip }}\n")).collect();
    let parsed = promela::parse(Path::new("bad.pml"), &Text(&text), &Preprocess::default());
    assert_eq!(parsed.diagnostics.len(), 60);
    let shown = render_all(&parsed.sources, &parsed.diagnostics, false);
    assert_eq!(shown.matches("error:").count(), 20);
    assert!(shown.ends_with("and 40 more\n"), "{shown}");
}

/// An error inside an inline is reported once, at the word that is wrong and at the first call, also if the inline is called by
/// another one.
#[test]
fn an_error_inside_an_inline_is_reported_once() {
    let text =
        "byte x;\ninline set(v) {\n  v = zz;\n  y++\n}\ninline both() { set(x) }\ninit { set(x); set(x); both() }\n";
    let loaded = kripke_lang::load(Path::new("bad.pml"), &Text(text), &kripke_lang::LoadOptions::default());
    let shown = render_all(&loaded.sources, &loaded.diagnostics, false);
    let want = "\
error: `zz` is not declared
 --> bad.pml:3:7
  |
3 |   v = zz;
  |       ^^ not declared here
...
7 | init { set(x); set(x); both() }
  |        --- inline `set` is called here

error: `y` is not declared
 --> bad.pml:4:3
  |
4 |   y++
  |   ^ not declared here
...
7 | init { set(x); set(x); both() }
  |        --- inline `set` is called here
  |
  = help: did you mean `x`?

";
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&shown), trimmed(want), "{shown}");
}

/// A statement of an inline has its own place and that of the outermost call.
#[test]
fn statements_of_inlines_have_two_places() {
    let text = "byte x;\ninline set(v) {\n  v = 1;\n  assert(v < 3)\n}\ninline both(w) {\n  w++;\n  set(w)\n}\ninit {\n  both(x);\n  x--\n}\n";
    let loaded = kripke_lang::load(Path::new("bad.pml"), &Text(text), &kripke_lang::LoadOptions::default());
    let model = loaded.model.unwrap();
    let line = |span| loaded.sources.position(span).line;
    let mut places: Vec<_> = model.processes[0]
        .edges
        .iter()
        .filter(|edge| edge.label != "-end-")
        .map(|edge| {
            let inside = edge.inside.as_ref().map(|inside| (inside.name.as_str(), line(inside.span)));
            (edge.label.as_str(), line(edge.span), inside)
        })
        .collect();
    places.sort_unstable();
    let want = [
        ("assert(x<3)", 11, Some(("set", 4))),
        ("x = 1", 11, Some(("set", 3))),
        ("x++", 11, Some(("both", 7))),
        ("x--", 12, None),
    ];
    assert_eq!(places, want);
}
