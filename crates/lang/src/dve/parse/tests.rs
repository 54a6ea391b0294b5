//! Syntax trees and syntax errors.

use crate::diagnostic::Diagnostic;
use crate::dve::ast::{Expr, ExprKind, System};
use crate::dve::lex::{Plain, lex};
use crate::source::FileId;

fn read(text: &str) -> (System, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex(&Plain { text, file: FileId(0) }, &mut diagnostics);
    let system = super::parse(tokens, &mut diagnostics);
    (system, diagnostics)
}

/// An expression with all its brackets.
fn brackets(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Binary(op, a, b) => format!("({} {} {})", brackets(a), op.symbol(), brackets(b)),
        ExprKind::Imply(a, b) => format!("({} => {})", brackets(a), brackets(b)),
        ExprKind::Unary(op, a) => format!("{}{}", op.symbol(), brackets(a)),
        ExprKind::Group(a) => brackets(a),
        _ => e.to_string(),
    }
}

#[test]
fn operators_bind_as_the_definition_says() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"),
        ("a or b and c or d", "(((a || b) && c) || d)"),
        ("a | b & c ^ d", "(((a | b) & c) ^ d)"),
        ("a and b == c < d", "(a && (b == (c < d)))"),
        ("a imply b imply c or d", "((a => b) => (c || d))"),
        ("not a == b", "(!a == b)"),
        ("- a + ~b << 2", "((-a + ~b) << 2)"),
        ("x--1", "(x - -1)"),
        ("a && (b || c)", "(a && (b || c))"),
        ("P.s + Q->x > Q->a[i + 1]", "((P.s + Q->x) > Q->a[i + 1])"),
        ("true != false", "(1 != 0)"),
    ] {
        let mut diagnostics = Vec::new();
        let tokens = lex(&Plain { text, file: FileId(0) }, &mut diagnostics);
        let expr = super::parse_expression(tokens, &mut diagnostics).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(brackets(&expr), expected, "{text}");
    }
}

#[test]
fn everything_of_the_grammar() {
    let (system, diagnostics) = read(
        "const int N = 3; byte a[3] = {1, 2, 3}, b; int c = -1;\n\
         channel u, v; channel {byte, int} t[4], r[0];\n\
         process P { byte x = 1; const byte K = 2; state s0, s1, s2; commit s1; init s0; accept s2; assert s0: x > 0, s1: b < 3;\n\
           trans s0 -> s1 { guard x == 1; sync u!; effect x = 2, a[x] = 0; }, -> s2 { sync t!{1, c}; },\n\
                 s1 -> s0 { sync r?{x, c}; }, s2 -> s2 {}; }\n\
         process Q { state q; init q; trans; }\n\
         process R { state q; init q; }\n\
         system async property R;",
    );
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!((system.variables.len(), system.channels.len(), system.processes.len()), (4, 4, 3));
    let p = &system.processes[0];
    assert_eq!((p.states.len(), p.commit.len(), p.accept.len(), p.asserts.len()), (3, 1, 1, 2));
    let texts: Vec<String> = p.transitions.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "s0 -> s1 guard x == 1; sync u!; effect x = 2, a[x] = 0;",
            "s0 -> s2 sync t!{1, c};",
            "s1 -> s0 sync r?{x, c};",
            "s2 -> s2",
        ]
    );
    assert_eq!(system.property.map(|p| p.text.to_string()).as_deref(), Some("R"));
}

#[test]
fn each_mistake_is_told_once() {
    for (text, messages) in [
        ("byte x system async;", &["expected `;` after a declaration, found the keyword `system`"][..]),
        ("bool x; system async;", &["expected a declaration, a `process` or the `system` line, found `bool`"]),
        ("process P { state a init a; } system async;", &["expected `;` after the list of states"]),
        (
            "process P { state a; init a; trans a -> a { guard x = 1; }; } system async;",
            &["expected `;` after `guard`"],
        ),
        ("process P { state a; init a; trans a -> a { effect x == 1; }; } system async;", &["`==` compares"]),
        (
            "process P { state a; init a; trans a -> a { guard ); }, a -> { }, a -> a { }; } system async;",
            &["expected an expression, found `)`", "expected the state a transition leads to, found `{`"],
        ),
        (
            "process P { state a; init a; trans a -> a { } a -> a { }; } system async;",
            &["expected `,` after a transition"],
        ),
        (
            "process P { state a; init a; trans -> a { }; } system async;",
            &["the state that the first transition leaves"],
        ),
        ("process P { state guard; } system async;", &["`guard` is a keyword and cannot be the name of a state"]),
        ("process P { state a; init a; trans a -> a { sync c; }; } system async;", &["expected `!` to send or `?`"]),
        ("process P { state a;", &["expected `}` to close the process"]),
        ("system both;", &["expected `async` or `sync`, found `both`"]),
        ("byte x = 99999999999; system async;", &["99999999999 is too large for a number"]),
        ("byte x = (1; system async;", &["expected `)` to close this bracket"]),
    ] {
        let (_, diagnostics) = read(text);
        let told: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(told.len(), messages.len(), "{text}: {told:?}");
        for (told, message) in told.iter().zip(messages) {
            assert!(told.contains(message), "{text}: {told}");
        }
    }
}

#[test]
fn absurd_texts_end_in_an_error() {
    for text in [
        format!("byte x = {}1;", "(".repeat(100_000)),
        format!("byte x = {}1;", "-".repeat(100_000)),
        format!("byte x = 1{};", " + 1".repeat(100_000)),
        format!("byte x = {}", "a[".repeat(100_000)),
        "process P {".repeat(10_000),
        "} ) ; , ->".repeat(10_000),
    ] {
        let (_, diagnostics) = read(&text);
        assert!(!diagnostics.is_empty());
        assert!(diagnostics.len() <= crate::limits::MAX_ERRORS);
    }
}
