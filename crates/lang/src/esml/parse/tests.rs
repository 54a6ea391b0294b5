use super::*;
use crate::esml::ast::{AccessStep, BinaryOp, CommandKind, ExprKind, TypeDefinition, UnaryOp};
use crate::esml::lex::lex;

/// An expression with all its parentheses.
fn shown(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Access(a) => {
            let steps = a.steps.iter().map(|s| match s {
                AccessStep::Field(f) => format!(".{}", f.text),
                AccessStep::Index(i) => format!("[{}]", shown(i)),
            });
            format!("{}{}", a.root.text, steps.collect::<String>())
        }
        ExprKind::Len(l) => format!("LEN({})", shown(l)),
        ExprKind::Head(l) => format!("HEAD({})", shown(l)),
        ExprKind::Unary(UnaryOp::Not, a) => format!("~{}", shown(a)),
        ExprKind::Unary(_, a) => format!("-{}", shown(a)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", shown(a), op.symbol(), shown(b)),
        ExprKind::Implies(a, b) => format!("({} => {})", shown(a), shown(b)),
        ExprKind::Temporal(op, a) => format!("{op:?} {}", shown(a)),
        ExprKind::Until(paths, a, b) => format!("{paths:?}({} U {})", shown(a), shown(b)),
    }
}

fn parse(text: &str) -> (Option<Model>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex(FileId(0), text, &mut diagnostics);
    (model(FileId(0), text, tokens, &mut diagnostics), diagnostics)
}

#[test]
fn operators_bind_as_documented() {
    for (text, expected) in [
        ("a & b = c", "(a && (b == c))"),
        ("a OR b & c", "(a || (b && c))"),
        ("a & b OR c", "((a && b) || c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a + b * c MOD d", "(a + ((b * c) % d))"),
        ("~a & -b + c < 0", "(~a && ((-b + c) < 0))"),
        ("-x DIV y", "(-x / y)"),
        ("LEN(q) + HEAD(HEAD(t[1].q))", "(LEN(q) + HEAD(HEAD(t[1].q)))"),
        ("pr[x+1].id # (1 = 1)", "(pr[(x + 1)].id != (1 == 1))"),
    ] {
        let mut diagnostics = Vec::new();
        let tokens = lex(FileId(0), text, &mut diagnostics);
        let expr = condition(FileId(0), text, tokens, &mut diagnostics).expect(text);
        assert_eq!(shown(&expr), expected, "{text}");
    }
}

#[test]
fn temporal_operators_reach_to_the_right() {
    for (text, expected, warnings) in [
        ("AG P.x = 1 => AF P.x = 2", "Globally(All) ((P.x == 1) => Finally(All) (P.x == 2))", 0),
        ("(AG P.x = 1) & TRUE", "(Globally(All) (P.x == 1) && true)", 0),
        ("AG (P.x = 1) & TRUE", "Globally(All) ((P.x == 1) && true)", 1),
        ("A(TRUE U EX FALSE) OR ~EG TRUE", "(All(true U Next(Some) false) || ~Globally(Some) true)", 0),
    ] {
        let text = format!("MODEL M; PROCESS P; BEGIN SKIP END P; BEGIN P END M; ASSERT {text}");
        let (model, diagnostics) = parse(&text);
        assert_eq!(shown(&model.unwrap().assertion.unwrap()), expected, "{text}");
        assert_eq!(diagnostics.len(), warnings, "{text}");
    }
}

#[test]
fn type_definitions_are_told_apart() {
    for (text, expected) in [
        ("0..max - 1", "subrange"),
        ("-1..1", "subrange"),
        ("(1 + 2)..4", "subrange"),
        ("on, off", "enumeration"),
        ("on", "enumeration"),
        ("ARRAY [3] OF BOOLEAN", "array"),
        ("LIST [n] OF int", "list"),
        ("(a, b: int; c: BOOLEAN)", "tuple"),
        ("{a, b(int)}", "alphabet"),
    ] {
        let text = format!("MODEL M; TYPE t = {text}; BEGIN P END M");
        let (model, _) = parse(&text);
        let declarations = model.expect(&text).declarations;
        let Some(crate::esml::ast::Declaration::Type { definition, .. }) = declarations.first() else {
            panic!("{text}")
        };
        let found = match definition {
            TypeDefinition::Subrange(..) => "subrange",
            TypeDefinition::Enumeration(_) => "enumeration",
            TypeDefinition::Array(..) => "array",
            TypeDefinition::List(..) => "list",
            TypeDefinition::Tuple(_) => "tuple",
            TypeDefinition::Alphabet(_) => "alphabet",
        };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn the_condition_of_a_poll_is_a_whole_expression() {
    let text = "MODEL M; PROCESS P; BEGIN POLL c?s(x) & x = 1 OR y -> SKIP [] d!t -> SKIP END END P; BEGIN P END M";
    let (model, _) = parse(text);
    let commands = &model.unwrap().processes[0].commands;
    let CommandKind::Poll(branches) = &commands[0].kind else { panic!("no POLL") };
    assert_eq!(shown(branches[0].condition.as_ref().unwrap()), "((x == 1) || y)");
    assert!(branches[1].condition.is_none());
    assert!(matches!(branches[0].condition.as_ref().unwrap().kind, ExprKind::Binary(BinaryOp::Or, ..)));
}

#[test]
fn one_slip_does_not_hide_the_next() {
    let text = "MODEL M; TYPE t = ; u = 0..; PROCESS P; BEGIN x := ; IF -> SKIP END; y = 1 END P;\n\
                PROCESS Q BEGIN SKIP END R; BEGIN P END M";
    let (_, diagnostics) = parse(text);
    assert_eq!(diagnostics.len(), 7, "{diagnostics:#?}");
}
