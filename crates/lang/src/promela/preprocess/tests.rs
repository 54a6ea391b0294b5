use std::collections::HashMap;

use super::*;

struct Files(HashMap<PathBuf, String>);

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).map(|t| t.clone().into_bytes()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn run(files: &[(&str, &str)], options: &Preprocess) -> (String, Vec<Diagnostic>) {
    let loader = Files(files.iter().map(|(n, t)| (n.into(), t.to_string())).collect());
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let tokens = preprocess(Path::new(files[0].0), &loader, options, &mut sources, &mut diagnostics).0;
    let mut out = String::new();
    for token in &tokens {
        if !out.is_empty() {
            out.push_str(if token.newline { " ⏎ " } else { " " });
        }
        out.push_str(&token.text);
    }
    (out, diagnostics)
}

fn expands(text: &str, expected: &str) {
    let (out, diagnostics) = run(&[("m", text)], &Preprocess::default());
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| &d.message).collect();
    assert!(errors.is_empty(), "{text:?}: {errors:?}");
    assert_eq!(out, expected, "{text:?}");
}

fn fails(text: &str, message: &str) {
    let (_, diagnostics) = run(&[("m", text)], &Preprocess::default());
    assert!(diagnostics.iter().any(|d| d.message.contains(message)), "{text:?}: {diagnostics:?}");
}

#[test]
fn macros_expand_as_in_c() {
    for (text, expected) in [
        ("#define N 3\nx = N", "x = 3"),
        ("#define N 3\n#undef N\nN", "N"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define F(x) [x]\nF(1) F F (2)", "[ 1 ] F [ 2 ]"),
        ("#define F(x, y) y x\nF((a, b), c)", "c ( a , b )"),
        ("#define F(x) #x\nF(a  \"b\\n\")", "\"a \\\"b\\\\n\\\"\""),
        ("#define C(a, b) a##b\nC(x, 1) C(, y) C(z, )", "x1 y z"),
        ("#define C(a, b) a##b\n#define N 3\nC(N, 1)", "N1"),
        ("#define L a; \\\n  b\nL", "a ; b"),
        ("#define E\nE x E\nE y", "x ⏎ y"),
        ("#define F(x) x\nF(a\nb) c\nd", "a b c ⏎ d"),
        ("#define f(x) x f\nf(1)(2)", "1 f ( 2 )"),
        ("#define x(a) a\n#define y x\ny(3)", "3"),
        ("#define V(a, ...) a __VA_ARGS__\nV(1, 2, 3) V(1)", "1 2 , 3 1"),
        ("#define EMPTY()\nEMPTY() a", "a"),
        ("a __LINE__\n__LINE__ __FILE__", "a 1 ⏎ 2 \"m\""),
        // The standard's own example of rescanning (C11, 6.10.3.5, example 3), in part.
        (
            "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\nf(y+1) + f(f(z)) % g(x)",
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 2 ) )",
        ),
    ] {
        expands(text, expected);
    }
}

#[test]
fn conditions_choose_groups() {
    for (condition, holds) in [
        ("1", true),
        ("0", false),
        ("UNKNOWN", false),
        ("defined(N) && N == 3", true),
        ("defined N && !defined(M)", true),
        ("N > 3 || (N + 1) * 2 == 8", true),
        ("N & 1 ? 0 : 1", false),
        ("0x10 == 16 && 010 == 8 && 'a' == 97", true),
        ("-1 < 0 && ~0 == -1", true),
        ("1 << 4 >= 16", true),
    ] {
        let text = format!("#define N 3\n#if {condition}\nyes\n#else\nno\n#endif\n");
        expands(&text, if holds { "yes" } else { "no" });
    }
    expands("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b ⏎ e");
    expands("#if 0\n#if 1\na\n#else\nb\n#endif\n#endif\nc", "c");
    expands("#ifdef A\nit's fine\n#endif\n#ifndef A\nb\n#endif", "b");
}

#[test]
fn bad_directives_are_located_errors() {
    for (text, message) in [
        ("#if 1\n", "never closed"),
        ("#endif\n", "`#endif` without `#if`"),
        ("#else\n", "`#else` without `#if`"),
        ("#if 1\n#else\n#else\n#endif", "`#else` after `#else`"),
        ("#if (1\n#endif", "expected `)`"),
        ("#if 1 / 0\n#endif", "division by zero"),
        ("#frob\n", "unknown directive `#frob`"),
        ("#define\n", "expected a name"),
        ("#define F(a\n", "malformed macro parameters"),
        ("#define F(a) a\nF(1, 2)", "takes 1 argument, but 2 are given"),
        ("#define F(a) a\nF(1", "never closed"),
        ("#include \"none\"\n", "there is no file `none`"),
        ("#include\n", "expected a file name"),
        ("#error do not\n", "do not"),
        ("a /* b", "comment is never closed"),
    ] {
        fails(text, message);
    }
}

#[test]
fn bombs_end_in_an_error() {
    let mut doubling = String::from("#define A0 x x\n");
    for i in 1..40 {
        doubling += &format!("#define A{i} A{0} A{0}\n", i - 1);
    }
    fails(&format!("{doubling}A39"), "too large");
    let mut args = String::from("#define F(x) x x\n");
    args += &"F(".repeat(60);
    args += &format!("x{}", ")".repeat(60));
    fails(&args, "too large");
    let deep: String = (0..1000).map(|i| format!("#define D{} D{}\n", i, i + 1)).collect();
    fails(&format!("{deep}D0"), "nested too deeply");
    let many = format!("#define F(x) x\n{}1{}", "F(".repeat(500), ")".repeat(500));
    fails(&many, "nested too deeply");
    fails("#include \"m\"\n#include \"m\"\n", "included too deeply");
    fails(&format!("#if {}\n#endif", "(".repeat(100_000)), "nested too deeply");
}

#[test]
fn files_are_found_beside_and_in_the_given_directories() {
    let options = Preprocess {
        macros: vec![
            MacroOption::Define("A=1 + 1".into()),
            MacroOption::Define("B".into()),
            MacroOption::Undefine("B".into()),
        ],
        include_dirs: vec!["lib".into()],
    };
    let files = [
        ("dir/m", "#include \"near\"\n#include <far>\nA B\n#include \"once\"\n#include \"once\""),
        ("dir/near", "near"),
        ("lib/far", "far"),
        ("dir/once", "#pragma once\none"),
    ];
    let (out, diagnostics) = run(&files, &options);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(out, "near ⏎ far ⏎ 1 + 1 B ⏎ one");
}

#[test]
fn missing_and_binary_files() {
    let loader = Files(HashMap::from([("b".into(), "\u{1}\u{2}\u{3}\u{4}".repeat(9))]));
    for (name, message) in [("a", "there is no file `a`"), ("b", "`b` is not a text file")] {
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        preprocess(Path::new(name), &loader, &Preprocess::default(), &mut sources, &mut diagnostics);
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].message, message);
    }
}

#[test]
fn tokens_know_where_they_were_typed_and_where_they_stand() {
    let text = "#define F(x) x + 1\nF(ab)";
    let loader = Files(HashMap::from([("m".into(), text.into())]));
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let tokens = preprocess(Path::new("m"), &loader, &Preprocess::default(), &mut sources, &mut diagnostics).0;
    let places: Vec<_> = tokens.iter().map(|t| (sources.text(t.span), sources.text(t.origin))).collect();
    assert_eq!(places, [("ab", "ab"), ("F(ab)", "+"), ("F(ab)", "1")]);
    assert_eq!(sources.expansions(tokens[1].span)[0].name, "F");
}

#[test]
fn tokens_become_text_again() {
    for (source, expected) in [
        ("ltl { []<>p }\n  x=1", "ltl { []<>p }\n  x=1\n"),
        ("#define LESS <\n#define P x\na LESS>b; PP; -P", "a < >b; PP; -x\n"),
        ("#define A 1\n#define B A A\nx = B+B;\n\ty = -A-A", "x = 1 1+1 1;\n\ty = -1-1\n"),
        ("#define M -\nx = -M 1", "x = - - 1\n"),
        ("#define F(a) a##1\n\tF(x) y", "\tx1 y\n"),
        ("\rbyte x;", "byte x;\n"),
    ] {
        let loader = Files(HashMap::from([("m".into(), source.to_string())]));
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        let options = Preprocess::default();
        let tokens = preprocess(Path::new("m"), &loader, &options, &mut sources, &mut diagnostics).0;
        assert_eq!(text(&tokens, &sources), expected, "{source:?}");
    }
}
