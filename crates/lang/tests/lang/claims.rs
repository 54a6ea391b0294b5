//! Claims and formulas as the properties of a model.

use std::io;
use std::path::Path;

use kripke_lang::diagnostic::Severity;
use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, Loaded, load};
use kripke_model::Model;

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn read(text: &str) -> Loaded {
    load(Path::new("m.pml"), &Text(text), &LoadOptions::default())
}

/// A model with this claim.
fn claimed(claim: &str) -> Loaded {
    read(&format!(
        "byte x, y, own; chan q = [1] of {{ byte }};
         active proctype p() {{ do :: x++; L: y = x od }}
         never {{ {claim} }}"
    ))
}

/// The claim as an observer, one line for each location, with its edges.
fn observer(claim: &str) -> Vec<String> {
    let loaded = claimed(claim);
    let mut model: Model = loaded.model.unwrap_or_else(|| panic!("{claim}: {:?}", loaded.diagnostics));
    model.observer = model.properties.remove(0).observer;
    assert!(model.observer.is_some(), "{claim}: {:?}", loaded.diagnostics);
    model.validate().unwrap_or_else(|e| panic!("{claim}: {e}"));
    let text = model.to_string();
    let (_, text) = text.split_once("observer stutters labels\n").expect("an observer");
    let mut out: Vec<String> = Vec::new();
    for line in text.lines().skip(1) {
        let (line, _) = line.split_once("   \"").unwrap_or((line, ""));
        match out.last_mut().filter(|_| line.contains("-> L")) {
            Some(location) => location.push_str(&format!(" | {}", line.trim())),
            None => out.push(line.trim().to_string()),
        }
    }
    out
}

#[test]
fn claims_become_observers() {
    let table: [(&str, &[&str]); 11] = [
        ("do :: x > 1 -> break :: else od", &["L0: entry | when (x > 1) -> L1 | else -> L0", "L1: end"]),
        (
            "T0: if :: p@L -> goto accept_1 :: true -> goto T0 fi; accept_1: if :: !(x == y) -> goto accept_1 fi",
            &["L0: entry labels(T0) | when p@L0 -> L1 | -> L0", "L1: accept labels(accept_1) | when !(x == y) -> L1"],
        ),
        ("do :: timeout || np_ od", &["L0: entry | when (timeout || nonprogress) -> L0"]),
        // SPIN complains when a claim is at any place called an end.
        (
            "x == 1; enda: x == 2",
            &["L0: entry | when (x == 1) -> L1", "L1: end labels(enda) | when (x == 2) -> L2", "L2: end"],
        ),
        ("accept_all: skip", &["L0: accept entry labels(accept_all) | -> L1", "L1: end"]),
        // What it prints nobody hears.
        ("do :: assert(x < 3) :: printf(\"%d\", x) od", &["L0: entry | assert (x < 3); -> L0 | -> L0"]),
        // An atomic sequence is one step, for each way through it.
        (
            "do :: atomic { x == 1 -> y == 2 } od",
            &["L0: | when (y == 2) -> L1", "L1: entry | when ((x == 1) && (y == 2)) -> L1"],
        ),
        (
            "do :: atomic { x == 1 -> if :: y == 1 :: else -> assert(y == 2) fi } :: else od",
            &[
                "L0: | assert (y == 2); -> L3",
                "L1: | when (y == 1) -> L3 | when !(y == 1) assert (y == 2); -> L3",
                "L2: | -> L3",
                "L3: entry | when ((x == 1) && (y == 1)) -> L3 | when ((x == 1) && !(y == 1)) assert (y == 2); -> L3 \
                 | when !(x == 1) -> L3",
            ],
        ),
        // Escapes come first.
        (
            "{ x == 1; x == 2 } unless { y == 1 }",
            &[
                "L0: entry | when (y == 1) -> L2 | when ((x == 1) && !(y == 1)) -> L1",
                "L1: | when (y == 1) -> L2 | when ((x == 2) && !(y == 1)) -> L2",
                "L2: end",
            ],
        ),
        // Variables that only the claim knows.
        (
            "do :: own < 3 -> own++ :: own == 3 -> own = 0 od",
            &[
                "L0: | own = (own + 1); -> L2",
                "L1: | own = 0; -> L2",
                "L2: entry | when (own < 3) -> L0 | when (own == 3) -> L1",
            ],
        ),
        ("true", &["L0: entry | -> L1", "L1: end"]),
    ];
    for (claim, expected) in table {
        assert_eq!(observer(claim), expected, "{claim}");
    }
}

#[test]
fn claims_that_do_too_much_are_left_alone() {
    let table = [
        ("do :: x = 1 od", "it changes `x`, which processes use, too"),
        ("do :: own = x od", "it stores in `own` what depends on the system"),
        ("do :: run p() od", "it does more than assign"),
        ("do :: d_step { x == 1; own = 1; own = 2 } od", "it has a `d_step`"),
        ("do :: atomic { own = 1; x == 1 } od", "an atomic sequence in it goes on after an assignment or an assertion"),
        ("atomic { do :: x == 1 od }", "an atomic sequence in it has no end"),
    ];
    for (claim, why) in table {
        let loaded = claimed(claim);
        let model = loaded.model.unwrap_or_else(|| panic!("{claim}: {:?}", loaded.diagnostics));
        assert!(model.properties[0].observer.is_none(), "{claim}");
        let warning = loaded.diagnostics.iter().find(|d| d.severity == Severity::Warning);
        let warning = warning.unwrap_or_else(|| panic!("{claim}: no warning"));
        assert_eq!((&*warning.message, &*warning.labels[0].text), ("this claim can't be checked", why), "{claim}");
    }
}

#[test]
fn what_is_refused_in_claims() {
    let table = [
        ("byte n; n == 1", "a claim can't have variables of its own"),
        ("q?x", "a claim can't send or receive"),
        ("p@M", "`p` has no label `M`"),
        ("z == 1", "`z` is not declared"),
        ("goto L", "there is no label `L`"),
    ];
    for (claim, expected) in table {
        let loaded = claimed(claim);
        assert!(loaded.model.is_none(), "{claim}");
        let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| &*d.message).collect();
        assert!(messages.contains(&expected), "{claim}: {messages:?}");
    }
}

#[test]
fn doing_nothing_for_ever_is_no_mistake_of_a_claim() {
    let loaded = claimed("accept: do :: skip od");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn claims_have_names() {
    let loaded = read("byte x; init { x = 1 } never { true } ltl f { x } never two { true } ltl { x }");
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let names: Vec<(&str, bool)> = model.properties.iter().map(|p| (&*p.name, p.observer.is_some())).collect();
    assert_eq!(names, [("never_0", true), ("two", true), ("f", false), ("ltl_1", false)]);
}

#[test]
fn formulas_are_kept_as_typed_and_expanded() {
    let table = [
        ("[] (p -> <>q)", "[] ( ( x == 1 ) -> <> ( y > 0 ) )"),
        ("[]<>p&&<>!q", "[] <> ( x == 1 ) && <> ! ( y > 0 )"),
        ("p U(q<->x==-1)", "( x == 1 ) U ( ( y > 0 ) <-> x == - 1 )"),
        ("(p /\\ q)\\/a[1]==2", "( ( x == 1 ) /\\ ( y > 0 ) ) \\/ a[1] == 2"),
        ("always eventually m@L", "always eventually m@L"),
    ];
    for (typed, expanded) in table {
        let text = format!(
            "#define p (x == 1)\n#define q (y > 0)\nbyte x, y, a[2]; active proctype m() {{ L: x = 1 }} ltl f {{ {typed} }}"
        );
        let loaded = read(&text);
        let model = loaded.model.unwrap_or_else(|| panic!("{typed}: {:?}", loaded.diagnostics));
        let property = &model.properties[0];
        assert_eq!((&*property.text, &*property.formula), (typed, expanded));
    }
}
