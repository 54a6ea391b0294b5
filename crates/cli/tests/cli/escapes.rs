//! Text from a model or a file's name is shown on a terminal, never obeyed.

use crate::program::{Desk, Said};

/// Every kind of thing a terminal or a reader may be fooled by: a sequence that clears the screen, a colour that is none of
/// ours, a title, the one-character form of a sequence, a bell, a return, DEL, text from right to left.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[35m\u{1b}]0;t\u{7}\u{9b}2J\r\u{7f}\u{202e}\u{2066}";

/// A comment that is long enough for the file to pass for text.
fn padding() -> String {
    format!("/* {} */\n", "plain text ".repeat(60))
}

/// Nothing but our own styles has an effect.
#[track_caller]
fn harmless(text: &str, what: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let sequence = &rest[at + 1..];
        let end = sequence.find('m').unwrap_or(0);
        let numbers = sequence[..end].strip_prefix('[').unwrap_or("x");
        assert!(numbers.chars().all(|c| c.is_ascii_digit() || c == ';'), "{what}: {text:?}");
        assert_ne!(numbers, "35", "{what}: {text:?}");
        rest = &sequence[end..];
    }
    let bad = |c: char| (c.is_control() && !"\n\t\u{1b}".contains(c)) || "\u{202e}\u{2066}".contains(c);
    assert!(!text.contains(bad), "{what}: {text:?}");
}

#[track_caller]
fn harmless_run(desk: &Desk, args: &[&str]) -> Said {
    let said: Said = desk.command("--color always").args(args).output().unwrap().into();
    harmless(&said.out, &format!("{args:?} out"));
    harmless(&said.err, &format!("{args:?} err"));
    assert_ne!(said.status, 4);
    said
}

#[test]
fn what_a_model_prints() {
    let desk = Desk::new();
    let text = format!("active proctype P() {{ printf(\"a{HOSTILE}\\tb\\n\"); assert(false) /* {HOSTILE} */ }}\n");
    desk.write("m.pml", padding() + &text);
    let check = harmless_run(&desk, &["check", "m.pml"]);
    assert!(
        check.out.contains("a\\x1b[2J\\x1b[35m\\x1b]0;t\\x07\\x9b2J\\x0d\\x7f\\u{202e}\\u{2066}\tb"),
        "{}",
        check.out
    );
    for args in [
        &["simulate", "m.pml"][..],
        &["simulate", "m.pml", "-p"],
        &["replay", "m.pml"],
        &["replay", "m.pml", "-p"],
        &["check", "m.pml", "--all-errors", "--unreached", "-v"],
    ] {
        assert!(harmless_run(&desk, args).out.contains("\\x1b[2J"), "{args:?}");
    }
    assert!(harmless_run(&desk, &["simulate", "m.pml", "-q"]).out.starts_with("a\\x1b[2J"));
    let walk = desk.talk("--color always simulate m.pml -i", "1\nt\nv\n\u{1b}[2J\n").expect(0);
    assert!(walk.out.contains("▸ a\\x1b[2J"), "{}", walk.out);
    harmless(&walk.out, "interactive");
}

#[test]
fn json_is_escaped_as_json() {
    let desk = Desk::new();
    let text = format!("active proctype P() {{ printf(\"{HOSTILE}\"); assert(1 == 2) }}\n");
    desk.write("m.pml", padding() + &text);
    let report = harmless_run(&desk, &["check", "m.pml", "--format", "json", "--unreached"]);
    assert_eq!(report.json()["verdict"], "violated");
    let trace = harmless_run(&desk, &["replay", "m.pml", "--format", "json"]);
    assert_eq!(trace.json()["#meta"]["format"], "ITF");
}

#[test]
fn complaints() {
    let desk = Desk::new();
    for (name, text) in [
        ("a.pml", format!("init {{ x{HOSTILE} = 1 }}")),
        ("b.pml", format!("#error {HOSTILE}\ninit {{ skip }}")),
        ("c.pml", format!("#warning {HOSTILE}\ninit {{ skip }}")),
        ("d.pml", format!("#include \"{HOSTILE}\"\ninit {{ skip }}")),
        ("e.pml", format!("init {{ {HOSTILE} }}")),
        ("f.dve", format!("process P{HOSTILE} {{ state a; init a; }} system async;")),
        ("g.esml", format!("(* {HOSTILE} *) MODEL x{HOSTILE};")),
        ("h.pml", format!("byte x; init {{ skip }} ltl p {{ [] (x == 0 {HOSTILE}) }}")),
    ] {
        desk.write(name, if name.ends_with("esml") { text } else { padding() + &text });
        let said = harmless_run(&desk, &["check", name]);
        assert!(!said.err.is_empty(), "{name}");
    }
    desk.write("formula.ltl", format!("[] (critical < {HOSTILE} 3)"));
    for args in [
        &["check", "second.pml", "--ltl-file", "formula.ltl"][..],
        &["check", "second.pml", "--ltl", HOSTILE],
        &["check", "second.pml", "--ctl", HOSTILE],
        &["check", "second.pml", "--reach", HOSTILE],
        &["ltl", HOSTILE],
        &["check", "peterson.pml", HOSTILE],
        &[HOSTILE],
        &["man", HOSTILE],
    ] {
        assert_eq!(harmless_run(&desk, args).status, 2, "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn names_of_files() {
    let desk = Desk::new();
    let name = format!("{HOSTILE}.pml");
    desk.write(&name, desk.read("second.pml"));
    assert_eq!(harmless_run(&desk, &["check", &name]).status, 1);
    harmless_run(&desk, &["check", &name, "second.pml"]);
    harmless_run(&desk, &["replay", &name]);
    harmless_run(&desk, &["simulate", &name, "-p"]);
    harmless_run(&desk, &["bench", &name]);
    let bad = format!("bad{HOSTILE}.pml");
    desk.write(&bad, "init { x }\n");
    harmless_run(&desk, &["check", &bad]);
    harmless_run(&desk, &["check", &format!("missing{HOSTILE}.pml")]);
    harmless_run(&desk, &["replay", "second.pml", &bad]);
}

/// Every change of a byte is refused by the program, too, with a message.
#[test]
fn damaged_trails() {
    let desk = Desk::new();
    desk.run("second.pml").expect(1);
    let good = desk.read("second.trail.json").into_bytes();
    for at in (0..good.len()).step_by(37).chain([good.len() - 1]) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        desk.write("bad.json", &bad);
        let said = desk.run("replay second.pml bad.json").expect(2);
        assert!(said.err.contains("damaged") || said.err.contains("trail format"), "byte {at}: {}", said.err);
    }
}
