//! The language service: a text with a place, marked by `$`, and the answer.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::source::{Loader, Span};
use kripke_lsp::service::{Analysis, CompletionKind};

/// The included file of these tests.
const LIBRARY: &str = "byte shared;\ninline bump(v) { v++; shared++ }\n";

struct Library;

impl Loader for Library {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path.ends_with("library.h") { Ok(LIBRARY.as_bytes().to_vec()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// The analysis of a text and the byte that `$` marks.
fn analyse(name: &str, marked: &str) -> (Analysis, usize) {
    let at = marked.find('$').unwrap_or(0);
    let text = marked.replacen('$', "", 1);
    (Analysis::new(Path::new(name), Arc::from(text), &Library), at)
}

/// Places as `line:column text`.
fn places(analysis: &Analysis, spans: &[Span]) -> String {
    let place = |span: &Span| {
        let position = analysis.sources.position(*span);
        let file = if span.file.index() > 0 { "library " } else { "" };
        format!("{file}{}:{}", position.line, position.column)
    };
    spans.iter().map(place).collect::<Vec<_>>().join(" ")
}

#[test]
fn definitions_and_references() {
    for (name, text, definition, references) in [
        ("a.pml", "byte x;\ninit { $x = 1; { byte x; x = 2 } }\nltl p { [] (x < 3) }", "1:6", "1:6 2:8 3:13"),
        ("a.pml", "byte x;\n#define INC x++\ninit { $x = 1; INC; INC }", "1:6", "1:6 2:13 3:8"),
        ("a.pml", "byte x;\ninline f(a) { a = x }\ninit { byte y; f($y); f(x) }", "3:13", "3:13 3:18"),
        ("a.pml", "#define N 2\nbyte a[$N];\ninit { a[N - 1] = N }", "1:9", "1:9 2:8 3:10 3:19"),
        ("a.pml", "typedef T { byte f };\nT t;\ninit { t.$f = 1 }", "1:18", "1:18 3:10"),
        ("a.pml", "proctype P() { L: goto $L }\ninit { run P(); P@L }", "1:16", "1:16 1:24 2:19"),
        (
            "a.pml",
            "inline f() { L: x++; goto $L }\ninline g() { L: x--; goto L }\nbyte x;\ninit { f(); g() }",
            "1:14",
            "1:14 1:27",
        ),
        ("a.pml", "init { L: { skip; L: skip; goto L }; goto $L; { L: goto L } }\nltl p { init@L }", "1:8", "1:8 1:43"),
        ("a.pml", "init { { skip; L: skip }; { skip; L: skip }; goto $L }", "1:35", "1:35 1:51"),
        ("a.pml", "init { if :: byte t = 1 :: else fi; $t = 2 }", "1:19", "1:19 1:37"),
        ("a.pml", "proctype P() { { byte i; i = 1 }; byte $i; i = 2 }\ninit { P:i == 1 }", "1:40", "1:40 1:43 2:10"),
        ("a.pml", "mtype = { m };\nchan q = [1] of { mtype };\ninit { q!$m; q?m }", "1:11", "1:11 3:10 3:15"),
        ("a.pml", "#include \"library.h\"\ninit { bump($shared) }", "library 1:6", "2:13 library 1:6 library 2:23"),
        (
            "a.dve",
            "byte x; process P { state a, b; init a; trans a -> b { guard $x == 0; }; } system async;",
            "1:6",
            "1:6 1:62",
        ),
        (
            "a.dve",
            "byte x; process P { state a, b; init $a; trans a -> b { guard P.a; }; } system async;",
            "1:27",
            "1:27 1:38 1:47 1:64",
        ),
        (
            "a.esml",
            "MODEL M; TYPE t = (f: BOOLEAN); PROCESS P; VAR v: t; BEGIN v.$f := TRUE END P; BEGIN P END M",
            "1:20",
            "1:20 1:62",
        ),
    ] {
        let (analysis, at) = analyse(name, text);
        assert_eq!(places(&analysis, &analysis.definition(at)), definition, "{text}");
        assert_eq!(places(&analysis, &analysis.references(at, true)), references, "{text}");
    }
}

#[test]
fn names_are_found_in_texts_with_errors() {
    let (analysis, at) = analyse("a.pml", "byte x;\nactive proctype P() { $x = ; x = 1 }\nactive proctype Q() { x++ }");
    assert!(analysis.model.is_none());
    assert_eq!(places(&analysis, &analysis.definition(at)), "1:6");
}

/// The text after a rename, or the reason why there is none.
fn renamed(text: &str, new: &str) -> String {
    let (analysis, at) = analyse("a.pml", text);
    match analysis.rename(at, new) {
        Err(why) => why,
        Ok(edits) => {
            let mut text = analysis.text().to_string();
            for edit in edits.iter().rev().filter(|edit| edit.span.file.index() == 0) {
                text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
            }
            text
        }
    }
}

#[test]
fn a_rename_is_exact_or_refused() {
    for (text, new, expected) in [
        ("byte x;\n#define INC x++\ninit { $x = 1; INC }", "y", "byte y;\n#define INC y++\ninit { y = 1; INC }"),
        (
            "byte x;\ninline f(a) { a = x }\ninit { byte z; f($z) }",
            "y",
            "byte x;\ninline f(a) { a = x }\ninit { byte y; f(y) }",
        ),
        ("byte $x, y;\ninit { x = 1 }", "y", "`y` has another meaning at one of the places"),
        ("byte $x;\ninit { byte y; x = y }", "y", "`y` has another meaning at one of the places"),
        ("byte $x;\ninit { x = 1 }", "do", "`do` is not a name"),
        ("byte $x;\ninit { x = 1 }", "a b", "`a b` is not a name"),
        (
            "byte x;\n#define SET x = 1\ninit { $SET; { byte x; SET } }",
            "y",
            "byte x;\n#define y x = 1\ninit { y; { byte x; y } }",
        ),
        (
            "byte $x;\n#define SET x = 1\ninit { SET; { byte x; SET } }",
            "y",
            "line 2 is expanded in several places, where the name has other declarations",
        ),
        (
            "byte $x;\n#ifdef NEVER\nbyte y = x;\n#endif\ninit { x = 1 }",
            "y",
            "`x` also occurs at line 3, where it is not known what it means",
        ),
        ("init { $skip }", "y", "there is no declared name here"),
        ("init { $L: goto L }", "endL", "labels that start with `end` have a meaning of their own"),
        ("init { $accept: goto accept }", "L", "labels that start with `accept` have a meaning of their own"),
        (
            "inline f() { $L: goto L }\ninit { f() }",
            "progress",
            "labels that start with `progress` have a meaning of their own",
        ),
        ("init { $end1: goto end1 }", "end2", "init { end2: goto end2 }"),
        ("byte $x;\ninit { x = 1 }", "end1", "byte end1;\ninit { end1 = 1 }"),
        (
            "#define $A 1\n#ifdef B\nbyte y;\n#endif\ninit { A }",
            "B",
            "`B` also occurs at line 2, where it is not known what it means",
        ),
    ] {
        assert_eq!(renamed(text, new), expected, "{text}");
    }
}

/// A rename in one model that includes the library, while another model with this text includes it too: the edited places of the
/// other model, or the reason for the refusal.
fn renamed_beside(text: &str, other: &str) -> String {
    let (analysis, at) = analyse("a.pml", text);
    let other = Arc::new(analyse("more/../b.pml", other).0);
    match analysis.rename_with(&[Arc::clone(&other)], at, "fresh") {
        Err(why) => why,
        Ok(renamed) => {
            let spans: Vec<Span> = renamed.edits(&other, "fresh").iter().map(|edit| edit.span).collect();
            places(&other, &spans)
        }
    }
}

#[test]
fn a_rename_also_edits_other_models_that_include_the_file() {
    let text = "#include \"library.h\"\ninit { bump($shared) }";
    for (other, expected) in [
        ("#include \"more/../library.h\"\ninit { shared = 1 }", "2:8 library 1:6 library 2:23"),
        ("byte shared;\ninit { shared = 1 }", ""),
        (
            "#include \"library.h\"\n#ifdef X\nbyte y = shared;\n#endif\ninit { shared = 1 }",
            "more/../b.pml: `shared` also occurs at line 3, where it is not known what it means",
        ),
        (
            "#include \"library.h\"\ninit { byte fresh; shared = fresh }",
            "more/../b.pml includes the file too, and there `fresh` has another meaning at one of the places",
        ),
    ] {
        assert_eq!(renamed_beside(text, other), expected, "{other}");
    }
}

/// The declared names and keywords that are offered.
fn offered(name: &str, text: &str) -> String {
    let (analysis, at) = analyse(name, text);
    let all = analysis.completion(at);
    let names = all.iter().filter(|c| matches!(c.kind, CompletionKind::Symbol(_)));
    names.map(|c| c.label.clone()).collect::<Vec<_>>().join(" ")
}

#[test]
fn completion_offers_what_can_stand_there() {
    let promela = "mtype = { m };\ntypedef T { byte f; bit g };\nT t;\nchan q = [1] of { mtype };\n";
    for (name, text, expected) in [
        ("a.pml", format!("{promela}init {{ t.$ }}"), "f g"),
        ("a.pml", format!("{promela}init {{ byte x; L: skip; goto $ }}"), "L"),
        ("a.pml", format!("{promela}proctype P() {{ byte y; A: skip }}\ninit {{ P[0]@$ }}"), "A"),
        ("a.pml", format!("{promela}proctype P() {{ byte y; A: skip }}\ninit {{ P[0]:$ }}"), "y"),
        ("a.pml", format!("{promela}proctype P() {{ skip }}\ninit {{ run $ }}"), "P"),
        ("a.pml", format!("{promela}proctype P(byte a) {{ byte b; b = $ }}\ninit {{ byte c; skip }}"), "P T a b m q t"),
        ("a.pml", "byte x; /* $ */ init { skip }".to_string(), ""),
        ("a.dve", "process P { byte v; state a, b; init $".to_string(), "a b"),
        ("a.dve", "process P { state a, b; init a; } process Q { state c; init c; trans c -> c { guard P.$ ; }; } system async;".to_string(), "a b"),
        ("a.esml", "MODEL M; TYPE c = {m, n}; VAR x: c; PROCESS P(IN p: c); BEGIN p?$m END P; BEGIN P(x) END M".to_string(), "m n"),
    ] {
        assert_eq!(offered(name, &text), expected, "{text}");
    }
    let (analysis, at) = analyse("a.pml", "#$\ninit { skip }");
    assert!(analysis.completion(at).iter().any(|c| c.label == "include"));
}

#[test]
fn hover_has_the_declaration_and_the_values() {
    let text = "chan q = [1] of { byte };\nbyte x = 2;\nactive proctype S() { q!x; $x = 5 }\nactive proctype R() { byte y; q?y }";
    let (analysis, at) = analyse("a.pml", text);
    let (hover, span) = analysis.hover(at).expect("a hover");
    assert_eq!(analysis.sources.text(span), "x");
    assert!(hover.contains("byte x = 2"), "{hover}");
    assert!(hover.contains("by analysis: 2, 5"), "{hover}");
    let (hover, _) = analysis.hover(text.find("q").expect("a channel")).expect("a hover");
    assert!(hover.contains("sent by: `S`") && hover.contains("received by: `R`"), "{hover}");
}

#[test]
fn signatures_name_the_parameter() {
    for (text, label, active) in [
        ("proctype P(byte a; int b) { skip }\ninit { run P(1, $2) }", "P(byte a; int b)", 1),
        ("inline f(a, b) { a = b }\nbyte x;\ninit { f($x, 1) }", "f(a; b)", 0),
        ("mtype = { m };\nchan q = [1] of { mtype, byte };\ninit { q!m($1) }", "q { mtype, byte }", 1),
        ("chan q = [1] of { bit, byte };\ninit { q!1, $1 }", "q { bit, byte }", 1),
    ] {
        let (analysis, at) = analyse("a.pml", text);
        let signature = analysis.signature(at).expect("a signature");
        assert_eq!((signature.label.as_str(), signature.active), (label, active), "{text}");
    }
}

#[test]
fn hints_show_bounds_parameters_and_fields() {
    let text = "#define N 3\nbyte a[N];\nchan q = [1] of { byte, bit };\nproctype P(byte n) { skip }\ninit { run P(1); q!a[0], 1 }";
    let (analysis, _) = analyse("a.pml", text);
    let hints = analysis.hints(0, text.len());
    let shown: Vec<String> =
        hints.iter().map(|hint| format!("{}@{}", hint.label.trim(), &text[hint.offset..=hint.offset])).collect();
    assert_eq!(shown, ["= 3@]", "n:@1", "byte:@a", "bit:@1"]);
}

#[test]
fn advice_becomes_edits() {
    for (name, text, expected) in [
        ("a.pml", "byte counter;\ninit { cuonter = 1 }", "counter"),
        ("a.pml", "#if 1\ninit { skip }", "\n#endif\n"),
        (
            "a.dve",
            "byte counter; process P { state a; init a; trans a -> a { guard conter == 0; }; } system async;",
            "counter",
        ),
        ("a.dve", "process P { state a; init a; }", "\nsystem async;\n"),
        ("a.esml", "MODEL M; PROCESS P; VAR yes: BOOLEAN; BEGIN yse := TRUE END P; BEGIN P END M", "yes"),
    ] {
        let (analysis, _) = analyse(name, text);
        let fixes = analysis.fixes(0, text.len());
        let texts: Vec<&str> = fixes.iter().map(|fix| fix.edit.text.as_str()).collect();
        assert_eq!(texts, [expected], "{text}: {:?}", analysis.diagnostics);
    }
}

#[test]
fn folds_lenses_and_outlines() {
    let text = "/* a\n b */\nactive proctype P() {\n\tbyte x;\n\tdo\n\t:: x++\n\tod\n}\nltl p { [] true }\n";
    let (analysis, _) = analyse("a.pml", text);
    let lines = |fold: &kripke_lsp::service::Fold| {
        (text[..fold.start].matches('\n').count(), text[..fold.end].matches('\n').count())
    };
    assert_eq!(analysis.folds().iter().map(lines).collect::<Vec<_>>(), [(0, 1), (2, 7), (4, 6)]);
    assert_eq!(analysis.lenses().len(), 3);
    let outline = analysis.outline();
    let names: Vec<(&str, usize)> = outline.iter().map(|entry| (entry.name.as_str(), entry.children.len())).collect();
    assert_eq!(names, [("P", 1), ("p", 0)]);
}
