//! From text to model: what is refused, and what the rest means.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_model::{Batch, Choice, Interpreter, Model, Successors};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Loader, Sources};
use crate::{LoadOptions, Loaded, load};

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn read(text: &str) -> Loaded {
    load(Path::new("m.dve"), &Text(text), &LoadOptions::default())
}

fn model(text: &str) -> Model {
    let loaded = read(text);
    loaded.model.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

/// A process `P` with these declarations and transitions, and an async system.
fn process(variables: &str, transitions: &str) -> String {
    format!("process P {{ {variables} state a, b; init a; trans {transitions}; }} system async;")
}

#[test]
fn mistakes_in_meaning() {
    let one = |transitions: &str| process("byte x; byte t[3]; const byte K = 1;", transitions);
    for (text, message) in [
        (one("a -> b { effect y = 1; }"), "`y` is not declared"),
        (one("a -> c { }"), "process `P` has no state `c`"),
        (one("a -> b { effect K = 2; }"), "`K` is a constant"),
        (one("a -> b { effect x[1] = 2; }"), "`x` is not an array"),
        (one("a -> b { effect x + 1 = 2; }"), "only a variable"),
        (one("a -> b { sync x!; }"), "`x` is not a channel"),
        (one("a -> b { guard P; }"), "`P` is not declared"),
        (one("a -> b { guard Q.a; }"), "there is no process `Q`"),
        (one("a -> b { guard P.c; }"), "process `P` has no state `c`"),
        (one("a -> b { guard P->y; }"), "process `P` has no variable `y`"),
        ("byte x, x; ".to_string() + &one("a -> b { }"), "`x` is declared already"),
        ("byte x = 256; ".to_string() + &one("a -> b { }"), "256 is not 0 to 255"),
        ("int x = -32769; ".to_string() + &one("a -> b { }"), "-32769 is not -32768 to 32767"),
        ("byte y; byte u[y]; ".to_string() + &one("a -> b { }"), "must be constant"),
        ("byte u[0]; ".to_string() + &one("a -> b { }"), "1 to 16777216 elements"),
        ("byte u[2] = 3; ".to_string() + &one("a -> b { }"), "its values are a list"),
        ("byte u = {3}; ".to_string() + &one("a -> b { }"), "`u` is not an array"),
        ("channel {byte} c[300]; ".to_string() + &one("a -> b { }"), "0 to 255 messages"),
        ("channel c; ".to_string() + &one("a -> b { sync c!1; }, -> a { sync c?; }"), "`c` carries 1 value"),
        ("channel {byte, int} c[1]; ".to_string() + &one("a -> b { sync c!1; }"), "`c` carries 2 values"),
        ("channel c; ".to_string() + &one("a -> b { sync c?1; }"), "only a variable"),
        ("channel c; ".to_string() + &one("a -> b { guard c > 0; }"), "`c` is a channel"),
        ("process P { state a, a; init a; } system async;".to_string(), "`a` is a state already"),
        ("process P { state a; } system async;".to_string(), "has no initial state"),
        ("process P { init a; } system async;".to_string(), "has no states"),
        ("process P { state a; init a; } process P { state a; init a; } system async;".to_string(), "already"),
        ("process P { state a; init a; }".to_string(), "the `system` line is missing"),
        ("system async;".to_string(), "nothing runs"),
        ("process P { state a; init a; } system async property Q;".to_string(), "there is no process `Q`"),
        (
            "channel c; process P { state a; init a; trans a -> a { sync c!; }; } system async property P;".to_string(),
            "can't use channels",
        ),
    ] {
        let loaded = read(&text);
        assert!(loaded.model.is_none(), "{text}");
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].message.contains(message), "{text}: {}", errors[0].message);
    }
}

#[test]
fn warnings() {
    for (text, message) in [
        ("byte u[1] = {1, 2}; ".to_string() + &process("", "a -> b { }"), "has 1 elements, but there are 2 values"),
        ("byte x; ".to_string() + &process("byte x;", "a -> b { }"), "`x` of this process hides a global one"),
        ("byte u[2]; ".to_string() + &process("", "a -> b { effect u[2] = 1; }"), "index 2 is outside of `u`"),
        (process("byte t[3];", "a -> b { effect t = 2; }, b -> a { guard t == 2; }"), "`t` is an array: taken to mean"),
    ] {
        let loaded = read(&text);
        assert!(loaded.model.is_some(), "{text}");
        assert!(loaded.diagnostics[0].message.contains(message), "{text}: {:?}", loaded.diagnostics);
        assert_eq!(loaded.diagnostics.len(), 1, "{text}: {:?}", loaded.diagnostics);
    }
}

/// The number of steps of each state of a system, in breadth-first order; at most a hundred states.
fn walk(model: Model) -> (Vec<usize>, Vec<String>) {
    let mut interpreter = Interpreter::new(Arc::new(model)).expect("the model starts");
    let mut batch = Batch::new();
    interpreter.initial(&mut batch);
    let mut seen = vec![batch.state(0).to_vec()];
    let (mut widths, mut findings) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < seen.len().min(100) {
        batch.clear();
        interpreter.expand(&seen[at].clone(), Choice::All, &mut batch);
        widths.push(batch.len());
        findings.extend(batch.findings().iter().map(|f| format!("{:?}", f.kind)));
        for state in batch.states() {
            if !seen.iter().any(|s| s == state) {
                seen.push(state.to_vec());
            }
        }
        at += 1;
    }
    (widths, findings)
}

#[test]
fn meaning_of_small_systems() {
    for (text, widths) in [
        // A process never ends: what has no transition is stuck.
        ("process P { state a; init a; } system async;", &[0][..]),
        // Both take part in a rendezvous; the sender's effects come first.
        (
            "byte x = 1; channel c;\
             process P { state a, b; init a; trans a -> b { sync c!x; effect x = 2; }; }\
             process Q { byte y; state a, b; init a; trans a -> b { guard x == 1; sync c?y; effect y = y + x; }, \
             b -> b { guard y != 3; }; } system async;",
            &[1, 0],
        ),
        // Values are cut to the type of a typed channel, not of an untyped one.
        (
            "channel {byte} c[1]; process P { int y; state a, b, d; init a; trans a -> b { sync c!257; }, \
             b -> d { sync c?y; }, d -> d { guard y != 1; }; } system async;",
            &[1, 1, 0],
        ),
        // A full buffer blocks.
        ("channel {byte} c[2]; process P { state a; init a; trans a -> a { sync c!1; }; } system async;", &[1, 1, 0]),
        // While P is committed, Q waits; a rendezvous needs two that are committed.
        (
            "channel c; process P { state a, b; commit a; init a; trans a -> b { }, a -> b { sync c!; }; }\
             process Q { state a, b; init a; trans a -> b { }, a -> b { sync c?; }; } system async;",
            &[1, 1, 0],
        ),
        // A committed process that can't move stops everything.
        (
            "process P { state a; commit a; init a; }\
             process Q { state a; init a; trans a -> a { }; } system async;",
            &[0],
        ),
        // All at once.
        (
            "byte x; process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> b { }; }\
             process Q { state a, b; init a; trans a -> b { guard x == 0; }, b -> a { }; } system sync;",
            &[1, 1, 0],
        ),
        // Implication, and a state as a number.
        (
            "process P { state a, b; init a; trans a -> b { guard P.b imply false; }, b -> a { guard P.a == 0; }; } system async;",
            &[1, 1],
        ),
    ] {
        let (found, findings) = walk(model(text));
        assert_eq!(found, widths, "{text}");
        assert!(findings.is_empty(), "{text}: {findings:?}");
    }
}

#[test]
fn faults_are_found() {
    for (text, fault) in [
        (
            "byte x = 255; process P { state a; init a; trans a -> a { effect x = x + 1; }; } system async;",
            "ValueOutOf",
        ),
        ("int x; process P { state a; init a; trans a -> a { guard 1 / x; }; } system async;", "DivisionByZero"),
        (
            "int x = 2; byte t[2]; process P { state a; init a; trans a -> a { guard t[x]; }; } system async;",
            "IndexOut",
        ),
        (
            "byte x; process P { state a; init a; assert a: x > 0; trans a -> a { }; } system async;",
            "assertion of state",
        ),
    ] {
        let (_, findings) = walk(model(text));
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
        assert!(findings[0].contains(fault), "{text}: {findings:?}");
    }
}

#[test]
fn a_property_watches_and_has_variables_of_its_own() {
    let mut model = model(
        "byte x; process P { byte y; state a; init a; trans a -> a { effect y = 1 - y; }; }\
         process W { byte n; state q, r; init q; accept r; \
         trans q -> q { guard not P->y; effect n = n + 1; }, q -> r { guard n == 1 and P.a; }; } system async property W;",
    );
    assert_eq!(model.processes.len(), 1);
    assert!(model.globals.iter().any(|v| v.name == "W->n"));
    let observer = model.properties[0].observer.clone().expect("the property is an observer");
    assert!(observer.automaton.locations[1].accept);
    model.observer = Some(observer);
    assert_eq!(walk(model).0, [1, 1, 0]);
}

#[test]
fn conditions_see_the_whole_model() {
    let model = model(
        "const byte N = 2; byte g[2]; process P { const int K = 7; byte x; state a, b; init a; trans a -> b { }; }\
         process W { byte n; state q; init q; } system async property W;",
    );
    for (text, fine) in [
        ("P.a and g[1] < N", true),
        ("P->x + P->K == W->n or W.q", true),
        ("x == 1", false),
        ("P.c", false),
        ("g[1] == x", false),
        ("P.a P.b", false),
        ("", false),
    ] {
        let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
        let condition = crate::dve::condition(text, &model, &mut sources, &mut diagnostics);
        assert_eq!(condition.is_some(), fine, "{text}: {diagnostics:?}");
        assert_eq!(diagnostics.is_empty(), fine, "{text}: {diagnostics:?}");
    }
    for (text, element) in [("g == 1", "g[0] == 1"), ("not g", "not g[0]")] {
        let read = |text: &str, diagnostics: &mut Vec<Diagnostic>| {
            format!("{:?}", crate::dve::condition(text, &model, &mut Sources::default(), diagnostics))
        };
        let mut diagnostics = Vec::new();
        assert_eq!(read(text, &mut diagnostics), read(element, &mut Vec::new()), "{text}");
        assert!(matches!(&diagnostics[..], [d] if d.severity == Severity::Warning), "{text}: {diagnostics:?}");
    }
}
