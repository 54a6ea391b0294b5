//! Texts and their expansions.

use std::io;
use std::path::Path;

use super::{Expanded, expand};
use crate::diagnostic::Diagnostic;
use crate::dve::lex::Typed;
use crate::preprocess::{MacroOption, Preprocess};
use crate::source::{Loader, Sources};

struct Files;

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.to_str() {
            Some("dir/other.m4") => Ok(b"define(`X', `from other')X!".to_vec()),
            Some("lib/shared.m4") => Ok(b"shared".to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

fn run(text: &str, options: &[MacroOption]) -> (Option<Expanded>, Sources, Vec<Diagnostic>) {
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let file = sources.add("dir/model.mdve".to_string(), text.to_string());
    let options = Preprocess { macros: options.to_vec(), include_dirs: vec!["lib".into()] };
    let expanded = expand((file, Path::new("dir/model.mdve")), &options, &Files, &mut sources, &mut diagnostics);
    (expanded, sources, diagnostics)
}

#[test]
fn texts() {
    for (text, expected) in [
        ("plain text, (as it is) x_1 3a", "plain text, (as it is) x_1 3a"),
        ("define(`N', 3)N N1 `N'", "3 N1 N"),
        ("define(f, `[$1|$2|$#|$*|$@|`$0']')f(a, `b,c')", "[a|b,c|2|a,b,c|a,b,c|f]"),
        ("define(`f', `<$1>')f( f(x) )f", "<<x> ><>"),
        ("define(`f', `$1')define(`y', `no')f(``y'')", "y"),
        ("pushdef(`a', 1)pushdef(`a', 2)a`'popdef(`a')a`'popdef(`a')a", "21a"),
        ("define(`a', 1)undefine(`a')a ifdef(`a', yes, no)", "a no"),
        ("ifelse(a, b, 1, c, c, 2, 3) ifelse(a, b, 1, 3) ifelse(a, b, 1)|", "2 3 |"),
        ("eval(2 + 3 * 4) incr(7) decr(0) eval(7 / 2 == 3)", "14 8 -1 1"),
        ("a dnl all gone\nb # comment define(x)\n", "a b # comment define(x)\n"),
        ("len(abc) index(abcd, cd) substr(hello, 1, 3) translit(abc, ab, xy)", "3 2 ell xyc"),
        ("shift(a, b, c)", "b,c"),
        ("divert(-1)gone define(`k', 5) divert`'k", "5"),
        ("divert(1)late divert(0)early ", "early late "),
        ("divert(2)x`'divert(0)a undivert(2)b", "a xb"),
        ("changequote([, ])define([q], [`$1'])q(x)", "`x'"),
        ("forloop(`i', 1, 3, `p_`'i ')", "p_1 p_2 p_3 "),
        ("forloop(`i', 2, 1, `never')|", "|"),
        ("define(N,3)myloop(i,0,decr(N), `P_`'i.CS', ` + ')", "P_0.CS + P_1.CS + P_2.CS"),
        ("forloop(`i', 0, 1, `forloop(`j', 0, 1, `(i,j)')')", "(0,0)(0,1)(1,0)(1,1)"),
        ("default(`N', 4)default(`N', 5)N", "4"),
        ("include(other.m4) sinclude(nothing.m4)X", "from other! from other"),
        ("include(shared.m4)", "shared"),
        ("define(`é', 1)é", "é"),
        ("define len index", "define len index"),
    ] {
        let (expanded, _, diagnostics) = run(text, &[]);
        let Some(expanded) = expanded else { panic!("{text}: {diagnostics:?}") };
        assert_eq!(expanded.text(), expected, "{text}");
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    }
}

#[test]
fn parameters_come_from_the_command_line() {
    let options = [MacroOption::Define("N=5".to_string()), MacroOption::Define("FLAG".to_string())];
    let (expanded, ..) = run("default(`N', 2)N ifdef(`FLAG', on, off)", &options);
    assert_eq!(expanded.unwrap().text(), "5 on");
}

#[test]
fn places_survive_arguments() {
    let text = "forloop(`i', 1, 2, `here `and' i;')";
    let (expanded, ..) = run(text, &[]);
    let expanded = expanded.unwrap();
    let at = expanded.text().rfind("here").unwrap();
    let span = expanded.span(at, at + 4);
    assert_eq!(&text[span.start as usize..span.end as usize], "here");
}

#[test]
fn mistakes_have_a_place() {
    for (text, message, place) in [
        ("x `open", "never closed", "`"),
        ("define(`a', 1", "expected `)`", "("),
        ("\n\neval(1 +)", "a number is missing", "e"),
        ("incr(N)", "is a macro not defined?", "i"),
        ("eval(1/0)", "divides by zero", "e"),
        ("syscmd(ls)", "not supported", "s"),
        ("include(missing)", "cannot read `missing`", "i"),
        ("a define(`x', `x x')x b", "too much text", "x"),
        ("define(`x', `$1 $1')define(`y', `x(`y')')y", "too much text", "y"),
    ] {
        let (expanded, sources, diagnostics) = run(text, &[]);
        assert!(expanded.is_none(), "{text}");
        let first = diagnostics.first().unwrap_or_else(|| panic!("{text}"));
        assert!(first.message.contains(message), "{text}: {}", first.message);
        assert_eq!(sources.text(first.labels[0].span), place, "{text}");
    }
    let deep = "define(f, `$1')".to_string() + &"f(".repeat(100_000);
    assert!(run(&deep, &[]).2[0].message.contains("nested too deeply"));
}
