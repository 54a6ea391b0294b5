use std::io;
use std::path::Path;
use std::rc::Rc;

use crate::diagnostic::has_errors;
use crate::preprocess::Preprocess;
use crate::promela::ast::{Block, Expr, ExprKind, Program, RecvArg, Stmt, StmtKind, Unit, VarRef};
use crate::promela::{self, Parsed};
use crate::render::render_all;
use crate::source::Loader;

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn read(text: &str) -> Parsed {
    promela::parse(Path::new("m.pml"), &Text(text), &Preprocess::default())
}

fn program(text: &str) -> Program {
    let parsed = read(text);
    let told = render_all(&parsed.sources, &parsed.diagnostics, false);
    assert!(!has_errors(&parsed.diagnostics), "{text:?}:\n{told}");
    Rc::unwrap_or_clone(parsed.program)
}

fn rejects(text: &str, message: &str) {
    let parsed = read(text);
    assert!(has_errors(&parsed.diagnostics), "accepted: {text:?}");
    let found = parsed.diagnostics.iter().any(|d| d.message.contains(message));
    assert!(found, "{text:?}:\n{}", render_all(&parsed.sources, &parsed.diagnostics, false));
}

/// The statements of the last process.
fn statements(text: &str) -> Vec<Stmt> {
    let last = program(text).units.into_iter().rev().find_map(|u| match u {
        Unit::Proctype(p) => Some(p.body.stmts),
        _ => None,
    });
    last.unwrap_or_default()
}

/// The texts of statements, nested ones in braces.
fn outline(block: &Block) -> String {
    let texts: Vec<String> = block
        .stmts
        .iter()
        .map(|s| {
            let labels: String = s.labels.iter().map(|l| format!("{}: ", l.text)).collect();
            let inner = match &s.kind {
                StmtKind::If(options) | StmtKind::Do(options) => {
                    let parts: Vec<String> = options.iter().map(|o| outline(&o.body)).collect();
                    format!("{}{{{}}}", s.text, parts.join(" | "))
                }
                StmtKind::Inline { name, body } => format!("{}={{{}}}", name.text, outline(body)),
                StmtKind::For { body, .. } => format!("for{{{}}}", outline(body)),
                _ => s.text.clone(),
            };
            labels + &inner
        })
        .collect();
    texts.join("; ")
}

fn outlines(body: &str, expected: &str) {
    let text = format!("int x, y, z; chan q = [2] of {{ byte, byte }};\ninit {{ {body} }}");
    let block = Block { stmts: statements(&text) };
    assert_eq!(outline(&block), expected, "{body:?}");
}

fn var(v: &VarRef) -> String {
    let parts = v.parts.iter().map(|p| match &p.index {
        Some(i) => format!("{}[{}]", p.name.text, show(i)),
        None => p.name.text.clone(),
    });
    parts.collect::<Vec<_>>().join(".")
}

/// An expression with all its parentheses.
fn show(e: &Expr) -> String {
    let args = |args: &[Expr]| args.iter().map(show).collect::<Vec<_>>().join(",");
    match &e.kind {
        ExprKind::Const(v) => v.to_string(),
        ExprKind::Var(v) => var(v),
        ExprKind::Unary(op, a) => format!("{op:?}({})", show(a)),
        ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
        ExprKind::Cond(c) => format!("({}?{}:{})", show(&c[0]), show(&c[1]), show(&c[2])),
        ExprKind::Channel(query, v) => format!("{query:?}({})", var(v)),
        ExprKind::Poll { channel, args, random } => {
            let args: Vec<String> = args.iter().map(receive).collect();
            format!("{}{}[{}]", var(channel), if *random { "??" } else { "?" }, args.join(","))
        }
        ExprKind::Run { process, args: a, priority } => {
            format!(
                "run {}({}){}",
                process.text,
                args(a),
                priority.as_ref().map_or(String::new(), |p| format!("^{}", show(p)))
            )
        }
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("{}[{}]@{}", process.text, pid.as_ref().map_or(String::new(), |p| show(p)), label.text)
        }
        ExprKind::RemoteVar { process, pid, var: v } => {
            format!("{}[{}]:{}", process.text, pid.as_ref().map_or(String::new(), |p| show(p)), var(v))
        }
        other => format!("{other:?}"),
    }
}

fn receive(arg: &RecvArg) -> String {
    match arg {
        RecvArg::Var(v) => var(v),
        RecvArg::Const(v, _) => format!("={v}"),
        RecvArg::Eval(e) => format!("eval({})", show(e)),
    }
}

fn expression(text: &str) -> String {
    let program = format!(
        "mtype = {{ red }}; proctype P() {{ L: skip }}\nint a[9], b, c; chan q = [1] of {{ byte }};\ninit {{ {text} }}"
    );
    match statements(&program).pop().map(|s| s.kind) {
        Some(StmtKind::Expr(e)) => show(&e),
        other => panic!("{text:?} is {other:?}"),
    }
}

#[test]
fn precedence_is_that_of_c() {
    for (text, expected) in [
        ("b & c == 1", "(b BitAnd (c Eq 1))"),
        ("b + c * 2 - 1", "((b Add (c Mul 2)) Sub 1)"),
        ("b || c && b | c ^ b & c", "(b Or (c And (b BitOr (c BitXor (b BitAnd c)))))"),
        ("b < c == c > b", "((b Lt c) Eq (c Gt b))"),
        ("b << 1 + 2 < c", "((b Shl (1 Add 2)) Lt c)"),
        ("!b == c", "(Not(b) Eq c)"),
        ("-b * ~c % 3", "((Neg(b) Mul Complement(c)) Rem 3)"),
        ("b - c - 1", "((b Sub c) Sub 1)"),
        ("(b -> c : (c -> 1 : 2))", "(b?c:(c?1:2))"),
        ("a[b + 1] > len(q)", "(a[(b Add 1)] Gt Len(q))"),
        ("q?[red] && q??[eval(b)]", "(q?[red] And q??[eval(b)])"),
        ("!q?[-3]", "Not(q?[=-3])"),
        ("P[1]@L && P@L", "(P[1]@L And P[]@L)"),
        ("P[b]:c == 'a'", "(P[b]:c Eq 97)"),
        ("(P:c) == '\\n'", "(P[]:c Eq 10)"),
        ("run P() > 0", "(run P() Gt 0)"),
        ("run P() priority 3", "run P()^3"),
        ("timeout || np_", "(Timeout Or NonProgress)"),
        ("empty(q) && (b || nfull(q))", "(Empty(q) And (b Or NotFull(q)))"),
        ("4294967295 == -1", "(-1 Eq Neg(1))"),
        ("STDIN", "Stdin"),
        ("red == true + skip", "(red Eq (1 Add 1))"),
        ("enabled(_pid) + pc_value(1) + get_priority(b)", "((Enabled(Expr { kind: Var(VarRef { parts: [VarPart"),
    ] {
        let shown = expression(text);
        assert!(shown.starts_with(expected), "{text:?} is {shown}");
    }
}

#[test]
fn semicolons_as_in_spin() {
    for (body, expected) in [
        ("x = 1; y = 2", "x = 1; y = 2"),
        ("x = 1;; y = 2;", "x = 1; y = 2"),
        ("x == 1 -> y = 2 ->", "x==1; y = 2"),
        ("x = 1\n y = 2\n x++\n skip", "x = 1; y = 2; x++; skip"),
        ("x == 1\n -> y = 2", "x==1; y = 2"),
        ("x --> y", "x; y"),
        ("(x ||\n y)\n skip", "(x || y); skip"),
        ("{ skip } x = 1", "{ skip }; x = 1"),
        ("{ skip }\n unless { x == 1 }", "{ skip } unless { x==1 }"),
        ("{ skip }\n useful: x = 1", "{ skip }; useful: x = 1"),
        ("if :: x -> y = 1 :: else y = 2 fi; skip", "if{x; y = 1 | else; y = 2}; skip"),
        ("do :: break od\n skip", "do{break}; skip"),
        ("if :: x\n :: else\n fi\n goto L\n L: skip", "if{x | else}; goto L; L: skip"),
        ("for (x : 1 .. 3)\n { y = x }\n y = 0", "for{y = x}; y = 0"),
        ("timeout\n x = 1", "timeout; x = 1"),
        ("if :: x :: y fi; do :: z od", "if{x | y}; do{z}"),
        ("x unless y", "x unless y"),
        ("x[1] unless y", "x[1] unless y"),
        ("L: M: x = 1; N:", "L: M: x = 1; N: skip"),
    ] {
        outlines(body, expected);
    }
    for body in ["; skip", "", "x = 1\n + 2", "x = 1 y = 2", "x = 1\n unless { skip }", "q?<x,y>\n skip"] {
        rejects(&format!("int x, y; chan q = [1] of {{byte}};\ninit {{ {body} }}"), "");
    }
}

#[test]
fn statement_texts() {
    for (body, expected) in [
        ("x=1", "x = 1"),
        ("x = ( y==1  ->2:3 )", "x = (y==1 -> 2 : 3)"),
        ("assert ( x == 1 )", "assert(x==1)"),
        ("q ! x , 3", "q!x,3"),
        ("q!!x(3)", "q!!x(3)"),
        ("q ?? < x , _ >", "q??<x,_>"),
        ("q?eval(x),y", "q?eval(x),y"),
        ("printf ( \"%d\\n\" , x )", "printf(\"%d\\n\",x)"),
        ("x && ! y || z", "x && !y || z"),
        ("int u = 3", "int u = 3"),
        ("select(x : 1..4)", "select(x:1 .. 4)"),
        ("xr q", "xr q"),
        ("run P(1) priority 2", "run P(1) priority 2"),
        ("assert x", "assert x"),
    ] {
        outlines(body, expected);
    }
}

#[test]
fn inlines_are_text() {
    let text = "inline inc(v, n) { v = v + n }\ninline twice(v) { inc(v, 1); inc(v, 2 * v) }\n\
                inline val(n) { return n + 1 }\nint x; init { twice(x); x = val(3) }";
    let block = Block { stmts: statements(text) };
    assert_eq!(outline(&block), "twice={inc={x = x+1}; inc={x = x+2*x}}; val={return 3+1}");
    for (text, message) in [
        ("inline f(a) { skip } init { f() }", "takes 1 argument, but 0 are given"),
        ("inline f() { g() } inline g() { f() } init { f() }", "calls itself"),
        ("inline f() { f() } init { f() }", "calls itself"),
        ("inline f() { skip } inline f() { skip } init { f() }", "defined twice"),
        ("inline f() { } init { f() }", "expected a statement"),
        ("inline f( { skip } init { f() }", "the name of a parameter"),
        ("inline f() { skip init { skip }", "never closed"),
        ("init { return 3 }", "`return` outside an inline"),
        ("inline f(a) { skip } init { f(1 }", "to close the arguments"),
    ] {
        rejects(text, message);
    }
}

#[test]
fn select_has_two_forms() {
    let spread = |text: &str| {
        let text = format!("#define N 3\nint x, x_y, a[2]; inline f() {{ select(x : 1 .. 2) }}\ninit {{ {text} }}");
        match statements(&text).pop().map(|s| s.kind) {
            Some(StmtKind::Select { spread, .. }) => spread,
            Some(StmtKind::Inline { body, .. }) => matches!(body.stmts[0].kind, StmtKind::Select { spread: true, .. }),
            other => panic!("{other:?}"),
        }
    };
    for (text, expected) in [
        ("select(x : 1 .. N)", true),
        ("select(x : 0 .. 32)", true),
        ("select(x : 0 .. 33)", false),
        ("select(x : 0 .. x)", false),
        ("select(x : 0 .. (3))", false),
        ("select(x_y : 0 .. 3)", false),
        ("select(a[1] : 0 .. 3)", false),
        ("f()", false),
    ] {
        assert_eq!(spread(text), expected, "{text}");
    }
}

#[test]
fn units_of_every_kind() {
    let text = "mtype = { a, b c }; mtype { d }; mtype:kind = { e };\n\
        typedef T { byte x; int y[2]\n mtype:kind z }; typedef U { T t[3]; bool g };\n\
        hidden byte h; local int l = 2, k[3] = { 1, 2, 3 }; unsigned w : 5 = 3; show bit s; U u; pid p;\n\
        chan q = [2] of { mtype, T, chan, mtype:kind };\n\
        active [2] proctype A() priority 3 provided (h == 1 && nempty(q)) { skip };\n\
        D_proctype B(byte i, j; chan r) { xr r; skip }\n\
        init priority 2 { run B(1, 2, q) }\n\
        never n { do :: skip od } trace { q!a,b }\n\
        ltl f { [] (h == 1 -> <> A[0]@L) } ltl { h U (s W X (b V d)) && p <-> !(a \\/ b /\\ c) }";
    let kinds: Vec<String> = program(text)
        .units
        .iter()
        .map(|u| format!("{u:?}").split(['(', ' ']).next().unwrap_or("").to_string())
        .collect();
    let expected = "Mtype Mtype Mtype Typedef Typedef Decl Decl Decl Decl Decl Decl Decl Proctype Proctype Proctype Never Trace Ltl Ltl";
    assert_eq!(kinds.join(" "), expected);
}

#[test]
fn bad_programs_are_rejected() {
    for (text, message) in [
        ("active proctype p( { skip }", "expected `)` to close the parameter list"),
        ("init { if :: skip }", "expected `fi` to close this `if`"),
        ("init { do skip od }", "expected `::` and an option"),
        ("init { skip", "expected `}` to close the body"),
        ("init { x = (1 + 2 }", "expected `)` to close the parenthesis"),
        ("init { goto }", "expected a label"),
        ("init { int len }", "`len` is a keyword and cannot be the name of a variable"),
        ("mtype = { a }; int a; init { skip }", "`a` is a symbolic constant"),
        ("proctype P() { skip } int P; init { skip }", "`P` is a proctype"),
        ("init { L: int x; skip }", "stands in front of a declaration"),
        ("init { assert(!empty(q)) }", "can only be combined"),
        ("init { x = empty(q) + 1 }", "can only be combined"),
        ("init { x = q?y }", "a receive is a statement"),
        ("init { c_code { foo(); } }", "embedded C is not supported yet"),
        ("c_decl { int x; } init { skip }", "embedded C is not supported yet"),
        ("c_state \"int x\" \"Global\" init { skip }", "embedded C is not supported yet"),
        ("init { x = 0x10 }", "expected `;`"),
        ("int a[2] = { 1, 2 }, b; init { skip }", "found `,`"),
        ("int a[1 << 2]; init { skip }", "expected a constant expression"),
        ("proctype P(int a = 3) { skip }", "cannot have an initial value"),
        ("init { mtype = { a }; skip }", "outside proctypes"),
        ("byte x : 3; init { skip }", "only `unsigned`"),
        ("chan q = [1] of { unsigned }; init { skip }", "cannot be `unsigned`"),
        ("init { 'ab' }", "one character"),
        ("init { printf(x) }", "expected a format string"),
        ("init { select(x : 3 .. 1) }", "range of this select is empty"),
        ("ltl p { [] (x }", "expected `)`"),
        ("ltl p { x [] y } init { skip }", "expected a temporal or logical operator"),
        ("ltl p { x U } init { skip }", "expected an expression"),
        ("ltl p [] x", "never closed"),
        ("", "there is no program"),
        ("x = 1;", "expected a declaration"),
        ("init { skip } }", "closes nothing"),
        ("init { \"abc }", "expected a statement"),
        ("init { P }; proctype P() { skip } init { P }", "is a proctype, not a variable"),
    ] {
        rejects(text, message);
    }
}

#[test]
fn several_errors_in_one_run() {
    let parsed =
        read("init {\n x = ;\n y = 3;\n if :: x = = 1 :: skip fi;\n goto 3\n}\nproctype () { skip }\nint 3;\n");
    let lines: Vec<u32> = parsed.diagnostics.iter().map(|d| parsed.sources.position(d.labels[0].span).line).collect();
    assert_eq!(lines, [2, 4, 5, 7, 8]);
}

#[test]
fn absurd_nesting_ends_in_an_error() {
    let n = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("if :: ", " fi"),
        ("!", ""),
        ("-", ""),
        ("a[", "]"),
        ("atomic {", "}"),
        ("1 + ", ""),
        ("(a -> ", " : 1)"),
        ("L: ", ""),
    ] {
        for closing in [close.repeat(n), String::new()] {
            let text = format!("init {{ {}1{closing} }}", open.repeat(n));
            let parsed = read(&text);
            assert!(open == "L: " || has_errors(&parsed.diagnostics), "{open}");
        }
    }
    rejects(&format!("init {{ q?{}x{} }}", "(".repeat(n), ")".repeat(n)), "nested too deeply");
    rejects(&format!("init {{ x = {}1 }}", "1 + ".repeat(n)), "too large");
    rejects(&format!("ltl p {{ {}x }}", "[] ".repeat(n)), "too large");
    let inlines: String = (1..100).map(|i| format!("inline f{i}() {{ f{0}(); f{0}() }}\n", i - 1)).collect();
    rejects(&format!("inline f0() {{ skip }}\n{inlines} init {{ f30() }}"), "too large");
    rejects(&format!("inline f0() {{ skip }}\n{inlines} init {{ f99() }}"), "nested too deeply");
}
