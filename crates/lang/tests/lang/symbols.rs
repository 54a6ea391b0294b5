//! The symbols of texts, correct or not, and the options that a language ignores.

use std::io;
use std::path::Path;

use kripke_lang::diagnostic::Severity;
use kripke_lang::preprocess::{MacroOption, Preprocess};
use kripke_lang::source::{FileId, Loader, Span};
use kripke_lang::{LoadOptions, Loaded, Tree, load};

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn read(name: &str, text: &str) -> Loaded {
    load(Path::new(name), &Text(text), &LoadOptions::default())
}

/// `kind container.name`, one line for each symbol.
fn outline(loaded: &Loaded) -> Vec<String> {
    let all = loaded.symbols.all();
    let line = |symbol: &kripke_lang::symbols::Symbol| {
        assert_eq!(loaded.sources.text(symbol.span), written(&symbol.name), "the place of {}", symbol.name);
        let container = symbol.container.map(|c| format!("{}.", all[c].name)).unwrap_or_default();
        format!("{:?} {container}{}", symbol.kind, symbol.name)
    };
    all.iter().map(line).collect()
}

/// The text at the place of a symbol. Properties without a name have one in the outline only.
fn written(name: &str) -> &str {
    match name {
        "never_0" => "never",
        "ltl_0" => "ltl",
        "ASSERT" => "AG (P.x = 0)",
        name => name,
    }
}

const PROMELA: &str = "\
#define N 2
inline f(a) { a++ }
mtype = { red };
typedef R { byte n }
R r; chan q = [1] of { byte };
active proctype P(byte p; chan c) { byte x; again: if :: x = N -> deep: f(x) :: else fi }
never { accept: do :: true od }
ltl live { <> (r.n == 1) }
";

#[test]
fn promela() {
    let expected = [
        "Macro N",
        "Macro f",
        "Constant red",
        "Type R",
        "Field R.n",
        "Global r",
        "Channel q",
        "Process P",
        "Local P.p",
        "Channel P.c",
        "Local P.x",
        "Label P.again",
        "Label P.deep",
        "Property never_0",
        "Label never_0.accept",
        "Property live",
    ];
    let loaded = read("m.pml", PROMELA);
    assert_eq!(outline(&loaded), expected, "{:?}", loaded.diagnostics);
    assert!(loaded.model.is_some() && matches!(loaded.tree, Some(Tree::Promela(_))));
    // An error in a process hides nothing, nor does a process without an end.
    let broken = PROMELA.replace("x = N", "x = = N");
    let loaded = read("m.pml", &broken);
    assert!(loaded.model.is_none() && loaded.tree.is_some());
    let found = outline(&loaded);
    assert!(
        ["Process P", "Local P.x", "Label P.again", "Property live"].iter().all(|s| found.contains(&s.to_string()))
    );
    let loaded = read("m.pml", "byte x; proctype P() { byte y; L: y = 1");
    assert_eq!(outline(&loaded), ["Global x", "Process P", "Local P.y", "Label P.L"]);
}

#[test]
fn dve() {
    let text = "byte x; const int K = 1; channel c; process P { int y; state a, b; init a; trans a -> b {}; }\n\
        process Q { state s; init s; } system async property Q;";
    let expected = [
        "Global x",
        "Constant K",
        "Channel c",
        "Process P",
        "Local P.y",
        "Label P.a",
        "Label P.b",
        "Property Q",
        "Label Q.s",
    ];
    let loaded = read("m.dve", text);
    assert_eq!(outline(&loaded), expected);
    assert!(loaded.model.is_some() && matches!(loaded.tree, Some(Tree::Dve(_))));
    let loaded = read("m.dve", "byte x; process P { int y; state a; init a; trans a - b; ");
    assert!(loaded.model.is_none());
    assert_eq!(outline(&loaded), ["Global x", "Process P", "Local P.y", "Label P.a"]);
    let loaded = read("m.mdve", &format!("define(`N', `3')forloop(`i', 1, 2, ` '){text}"));
    assert_eq!(outline(&loaded)[..2], ["Macro N", "Macro i"]);
}

#[test]
fn esml() {
    let text = "MODEL M; CONST k = 1; TYPE t = 0..k; al = {go, val(t)}; st = idle, busy; job = (id: t; st: st); VAR c: al;\n\
        PROCESS P(IN c: al); VAR x: t; BEGIN c?go END P;\nPROCESS Q(OUT c: al); BEGIN c!go END Q;\n\
        BEGIN P(c); Q(c) END M; ASSERT AG (P.x = 0)";
    let expected = [
        "Constant k",
        "Type t",
        "Type al",
        "Constant al.go",
        "Constant al.val",
        "Type st",
        "Constant idle",
        "Constant busy",
        "Type job",
        "Field job.id",
        "Field job.st",
        "Channel c",
        "Process P",
        "Channel P.c",
        "Local P.x",
        "Process Q",
        "Channel Q.c",
        "Property ASSERT",
    ];
    let loaded = read("m.esml", text);
    assert_eq!(outline(&loaded), expected, "{:?}", loaded.diagnostics);
    assert!(loaded.model.is_some() && matches!(loaded.tree, Some(Tree::Esml(_))));
    let loaded = read("m.esml", "MODEL M; TYPE t = 0..1; PROCESS P(n: t); VAR x: t; BEGIN x := ");
    assert!(loaded.model.is_none());
    assert_eq!(outline(&loaded), ["Type t", "Process P", "Local P.n", "Local P.x"]);
}

#[test]
fn definitions_depend_on_the_place() {
    let text = "byte x; proctype P() { byte x; x = 1 } proctype Q() { x = 2; L: skip }";
    let loaded = read("m.pml", text);
    let at = |needle: &str, name: &str| {
        let start = text.find(needle).expect("it is there") as u32;
        let found = loaded.symbols.definition(name, Span { file: FileId(0), start, end: start + 1 });
        found.map(|symbol| symbol.span.start as usize)
    };
    assert_eq!(at("x = 1", "x"), text.find("x; x"));
    assert_eq!(at("x = 2", "x"), text.find("x; proctype"));
    assert_eq!(at("x = 1", "L"), text.find("L: "));
    assert_eq!(at("x = 1", "P"), text.find("P()"));
    assert_eq!(at("x = 1", "y"), None);
}

#[test]
fn unused_options_give_a_warning() {
    let esml = "MODEL M; PROCESS P; BEGIN SKIP END P; BEGIN P END M";
    let dve = "process P { state a; init a; } system async;";
    let defined = Preprocess { macros: vec![MacroOption::Define("N=3".to_string())], ..Preprocess::default() };
    let included = Preprocess { include_dirs: vec!["lib".into()], ..Preprocess::default() };
    for (name, text) in [("m.esml", esml), ("m.dve", dve)] {
        for (preprocess, what) in [(&defined, "macros"), (&included, "include directories")] {
            let options = LoadOptions { preprocess: preprocess.clone(), ..LoadOptions::default() };
            let loaded = load(Path::new(name), &Text(text), &options);
            let [warning] = &loaded.diagnostics[..] else { panic!("{name}: {:?}", loaded.diagnostics) };
            assert_eq!(warning.severity, Severity::Warning);
            assert_eq!(warning.message, format!("{what} from the command line have no effect here"));
            assert!(loaded.model.is_some());
        }
        assert!(read(name, text).diagnostics.is_empty());
    }
}
