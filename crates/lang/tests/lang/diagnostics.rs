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
 --> bad.pml:3:12
  |
1 | #define NEXT(a) (a + )
  |         ----         - in the text that is expanded here
  |         |
  |         macro `NEXT` is defined here
2 | int y;
3 | init { y = NEXT(1) }
  |            ^^^^^^^ expected an expression
",
    );
}

#[test]
fn inlines_show_the_call_and_the_body() {
    check(
        "int y;\ninline set(v) {\n  v = = 2\n}\ninit { set(y) }\n",
        "
error: expected an expression, found `=`
 --> bad.pml:5:8
  |
2 | inline set(v) {
  |        --- inline `set` is defined here
3 |   v = = 2
  |       - in the text that is expanded here
4 | }
5 | init { set(y) }
  |        ^^^ expected an expression
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
