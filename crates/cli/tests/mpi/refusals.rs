//! Ranks that do not fit together are refused before the search.

use std::fs;

use crate::mpirun::{PROGRAM, Said, alone, is_installed, mpirun, ranks};

const MODEL: &str = "byte n; active proctype p() { do :: n < 9 -> n++ :: else -> break od }\n";

/// Runs two ranks with different arguments, in a folder with two models.
fn two(first: &[&str], second: &[&str]) -> Said {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("a.pml", MODEL.to_string()), ("b.pml", MODEL.replace('9', "8"))] {
        fs::write(folder.path().join(name), text).expect("a model");
    }
    let line = [&["-n", "1", PROGRAM], first, &[":", "-n", "1", PROGRAM], second].concat();
    mpirun(folder.path(), &line).output().expect("mpirun").into()
}

fn expect_refusal(said: &Said, text: &str) {
    assert_eq!(said.status, 2, "{said:?}");
    assert_eq!(said.err.matches(text).count(), 1, "{said:?}");
    assert_eq!(said.out, "", "{said:?}");
}

#[test]
fn different_arguments_are_refused() {
    if is_installed() {
        let said = two(&["check", "a.pml"], &["check", "a.pml", "--raw"]);
        expect_refusal(&said, "rank 1 has another list of arguments than rank 0");
    }
}

#[test]
fn different_models_are_refused() {
    if !is_installed() {
        return;
    }
    // The same name in two folders.
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("one", MODEL.to_string()), ("two", MODEL.replace('9', "8"))] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
        fs::write(folder.path().join(name).join("m.pml"), text).expect("a model");
    }
    let here = folder.path().join("two");
    let there = ["-n", "1", "--wdir", here.to_str().expect("a name"), PROGRAM, "check", "m.pml"];
    let line = [&["-n", "1", PROGRAM, "check", "m.pml", ":"], &there[..]].concat();
    let said = mpirun(&folder.path().join("one"), &line).output().expect("mpirun").into();
    expect_refusal(&said, "rank 1 has another model than rank 0");
}

/// Runs two ranks with the same arguments in two folders, each with a model and a file of its own.
fn two_folders(file: &str, texts: [&str; 2], args: &[&str]) -> Said {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = ["one", "two"].map(|name| folder.path().join(name));
    for (folder, text) in folders.iter().zip(texts) {
        fs::create_dir(folder).expect("a folder");
        fs::write(folder.join("m.pml"), MODEL).expect("a model");
        fs::write(folder.join(file), text).expect("a file");
    }
    let there = ["-n", "1", "--wdir", folders[1].to_str().expect("a name"), PROGRAM];
    let line = [&["-n", "1", PROGRAM], args, &[":"], &there, args].concat();
    mpirun(&folders[0], &line).output().expect("mpirun").into()
}

#[test]
fn different_property_files_are_refused() {
    if is_installed() {
        let said = two_folders("f.ltl", ["[] (n < 10)", "[] (n < 9)"], &["check", "m.pml", "--ltl-file", "f.ltl"]);
        expect_refusal(&said, "rank 1 has another property file than rank 0");
        let hoa = |acceptance: &str| {
            format!(
                "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"n > 10\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 \
                 {acceptance}\n[0] 0\n--END--\n"
            )
        };
        let said = two_folders("a.hoa", [&hoa("{0}"), &hoa("")], &["check", "m.pml", "--hoa", "a.hoa"]);
        expect_refusal(&said, "rank 1 has another property file than rank 0");
    }
}

/// A file that only one rank can't write: without an agreement the other one would begin the search and wait.
#[test]
fn a_rank_that_can_not_begin_is_named() {
    if is_installed() {
        let said = two_folders("out.xml", ["", "not a report"], &["check", "m.pml", "--junit", "out.xml"]);
        assert_eq!(said.err.matches("rank 1: can't write out.xml").count(), 1, "{said:?}");
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    }
}

/// A launcher that fails by itself has the exit status of a violation.
#[test]
fn a_launcher_that_fails_is_no_violation() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.pml"), MODEL.replace("break", "assert(false)")).expect("a model");
    let said = alone(folder.path(), &["cluster", "-n", "2", "--mpirun", "/bin/false", "--", "check", "m.pml"]);
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.err.contains("/bin/false has failed"), "{said:?}");
    let mut command = std::process::Command::new(PROGRAM);
    command.args(["cluster", "-n", "2", "--", "check", "m.pml"]).current_dir(folder.path());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let said: Said = command.output().expect("the program").into();
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn different_programs_are_refused() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.pml"), MODEL).expect("a model");
    // A byte at the end changes nothing but the file.
    let other = folder.path().join("kripke");
    let mut bytes = fs::read(PROGRAM).expect("the program");
    bytes.push(0);
    fs::write(&other, bytes).expect("a program");
    fs::set_permissions(&other, fs::metadata(PROGRAM).expect("the program").permissions()).expect("a program");
    let other = other.to_str().expect("a name");
    let line = ["-n", "1", PROGRAM, "check", "a.pml", ":", "-n", "1", other, "check", "a.pml"];
    let said = mpirun(folder.path(), &line).output().expect("mpirun").into();
    expect_refusal(&said, "rank 1 has another program than rank 0");
}

#[test]
fn what_needs_one_process_is_refused() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.pml"), MODEL).expect("a model");
    let said = ranks(folder.path(), 2, &["simulate", "a.pml"]);
    expect_refusal(&said, "only `kripke check` runs as several processes");
    let said = ranks(folder.path(), 2, &["check", "a.pml", "--ranks", "3"]);
    expect_refusal(&said, "--ranks 3");
    let said = ranks(folder.path(), 2, &["check", "a.pml", "--store", "words"]);
    expect_refusal(&said, "--store words");
    let said = ranks(folder.path(), 2, &["check", "missing.pml"]);
    assert_eq!((said.status, said.err.matches("missing.pml").count()), (2, 1), "{said:?}");
}
