//! What is read and written: only what may be, whole or not at all, and within bounds.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::program::{Desk, Said};

/// The names of all files that begin so.
fn names(desk: &Desk, beginning: &str) -> Vec<String> {
    let all = fs::read_dir(&desk.dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut found: Vec<String> = all.filter(|n| n.starts_with(beginning)).collect();
    found.sort();
    found
}

#[test]
fn a_file_of_somebody_else_is_not_replaced() {
    let desk = Desk::new();
    desk.write("mine.txt", "precious");
    let said = desk.run("check second.pml --trail mine.txt").expect(2);
    assert!(said.err.contains("mine.txt: there is such a file, not written by Kripke"), "{}", said.err);
    assert_eq!((said.out.as_str(), desk.read("mine.txt").as_str()), ("", "precious"));
    desk.run("check second.pml --trail mine.txt --force").expect(1);
    desk.run("replay second.pml mine.txt").expect(1);
    desk.run("check second.pml --trail mine.txt").expect(1);
}

#[test]
fn the_usual_names_are_no_licence_either() {
    let desk = Desk::new();
    desk.write("second.trail.json", "{\"a\": 1}");
    let said = desk.run("check second.pml").expect(1);
    assert!(said.err.contains("warning: can't write second.trail.json"), "{}", said.err);
    assert!(!said.out.contains("kripke replay"), "{}", said.out);
    assert_eq!(desk.read("second.trail.json"), "{\"a\": 1}");
    fs::remove_file(desk.path("second.trail.json")).unwrap();
    // A trace of another tool has the same format.
    let theirs = "{ \"#meta\": { \"format\": \"ITF\", \"varTypes\": {} }, \"vars\": [], \"states\": [] }";
    desk.write("second.itf.json", theirs);
    assert!(desk.run("check second.pml --itf").expect(1).err.contains("can't write second.itf.json"));
    assert_eq!(desk.read("second.itf.json"), theirs);
    desk.run("check second.pml --itf --force").expect(1);
    let ours = desk.read("second.itf.json");
    assert_eq!(desk.run("check second.pml --itf").expect(1).err, "", "ours is replaced without a word");
    assert_eq!(desk.read("second.itf.json"), ours);
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_search() {
    let desk = Desk::new();
    for name in ["nowhere/x.json", ".", "second.pml"] {
        let said = desk.run(&format!("check endless.pml --trail {name}")).expect(2);
        assert!(said.err.starts_with("error: can't write"), "{}", said.err);
    }
    desk.write("theirs.csv", "a,b\n");
    assert!(desk.run("bench second.pml --csv theirs.csv").expect(2).err.contains("not written by Kripke"));
    for _ in 0..2 {
        desk.run("bench second.pml --csv ours.csv").expect(0);
    }
    desk.run("bench second.pml --csv theirs.csv --force").expect(0);
    assert!(desk.read("theirs.csv").starts_with("model,"));
}

#[test]
fn combined_models_replace_only_their_like() {
    let desk = Desk::new();
    let system = "byte x = 0;\nprocess P { state a; init a; trans a -> a { effect x = 1 - x; }; }\nsystem async;\n";
    desk.write("m.dve", system);
    desk.write("p.ltl", "#define p (x == 0)\n#property G F p\n");
    for _ in 0..2 {
        desk.run("combine m.dve p.ltl").expect(0);
    }
    desk.write("m.prop1.dve", system);
    assert!(desk.run("combine m.dve p.ltl").expect(2).err.contains("not written by Kripke"));
    assert_eq!(desk.read("m.prop1.dve"), system);
    desk.run("combine m.dve p.ltl --force").expect(0);
}

#[test]
fn a_trail_can_be_standard_output() {
    let desk = Desk::new();
    let said = desk.run("check second.pml --trail -").expect(1);
    assert!(said.out.starts_with("{\n  \"kripke-trail\""), "{}", said.out);
    assert!(said.err.contains("assertion violated"), "{}", said.err);
    assert_eq!(names(&desk, "second."), ["second.pml"]);
    desk.talk("replay second.pml -", &said.out).expect(1);
    desk.run("check second.pml --trail - --format json").expect(2);
    let table = desk.run("bench second.pml --csv -").expect(0).out;
    assert!(table.starts_with("model,options,"), "{table}");
}

#[test]
fn a_model_can_be_standard_input() {
    let desk = Desk::new();
    let text = desk.read("second.pml");
    let said = desk.talk("check - --ltl <>(critical==2)", &text);
    assert!(said.out.contains("✗"), "{}", said.out);
    desk.talk("check -", &text).expect(1);
    assert_eq!(names(&desk, "stdin"), ["stdin.F-critical-is-2.trail.json", "stdin.trail.json"]);
    desk.talk("replay -", &text).expect(1);
    let property = desk.talk("check second.pml -A --ltl-file -", "[] (critical < 3)\n");
    property.expect(0);
}

/// A sparse file that is larger than any text may be.
fn huge(desk: &Desk, name: &str) {
    fs::File::create(desk.path(name)).unwrap().set_len(40 << 20).unwrap();
}

#[test]
fn what_is_read_is_bounded() {
    let desk = Desk::new();
    huge(&desk, "huge");
    fs::create_dir(desk.path("folder")).unwrap();
    desk.write("inc.pml", "byte x;\n#include \"huge\"\ninit { skip }\n");
    desk.write("inc.mdve", "include(huge)");
    for (args, word) in [
        ("check huge", "too large: over 32 MiB"),
        ("check inc.pml", "inc.pml:2:1"),
        ("check inc.mdve", "inc.mdve:1:1"),
        ("check huge --lang dve", "too large"),
        ("check huge --lang esml", "too large"),
        ("simulate huge", "too large"),
        ("check second.pml --ltl-file huge", "too large"),
        ("check second.pml --hoa huge", "too large"),
        ("ltl --from-never huge", "too large"),
        ("ltl --from-hoa huge", "too large"),
        ("combine huge huge", "too large"),
        ("bench second.pml --expect huge", "too large"),
        ("bench second.pml --expect folder", "it is a directory"),
        ("replay second.pml folder", "it is a directory"),
        ("check second.pml --ltl-file folder", "it is a directory"),
    ] {
        let said = desk.run(args).expect(2);
        assert!(said.err.contains(word), "{args}: {}", said.err);
        assert_eq!(said.out, "", "{args}");
    }
}

/// Only `files.rs` opens files, and `memory.rs` asks the system about memory: so every read is bounded and every file is
/// written whole.
#[test]
fn files_are_opened_in_one_place() {
    fn look(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                look(&entry, found);
                continue;
            }
            if entry.ends_with("src/files.rs") || entry.ends_with("src/memory.rs") {
                continue;
            }
            let text = fs::read_to_string(&entry).unwrap();
            for word in ["fs::", "use std::fs", "File::", "OpenOptions", "io::stdin().read"] {
                let uses = text
                    .match_indices(word)
                    .filter(|(i, _)| !text[..*i].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
                found.extend(uses.map(|_| format!("{}: {word}", entry.display())));
            }
        }
    }
    let mut found = Vec::new();
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

/// Runs it with a full device as standard output.
#[cfg(target_os = "linux")]
fn into_full(desk: &Desk, args: &str) -> Said {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    desk.command(args).stdin(Stdio::null()).stdout(full).output().unwrap().into()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_makes_every_answer_incomplete() {
    let desk = Desk::new();
    for args in [
        "check second.pml",
        "check peterson.pml",
        "check peterson.pml --format json",
        "check peterson.pml second.pml",
        "check second.pml --trail -",
        "replay second.pml",
        "replay second.pml --format json",
        "simulate hello.pml",
        "simulate hello.pml -q",
        "simulate hello.pml -p",
        "simulate hello.pml -i",
        "bench peterson.pml",
        "bench peterson.pml --csv -",
        "ltl []p",
        "man",
        "completions bash",
        "--help",
        "check --help",
        "--version",
    ] {
        let said = into_full(&desk, args).expect(3);
        assert!(said.err.contains("can't write to standard output: No space left"), "{args}: {}", said.err);
    }
}

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    fn pipe(desk: &Desk, name: &str) {
        assert!(Command::new("mkfifo").arg(desk.path(name)).status().unwrap().success());
    }

    /// Runs a script in which `kripke` is the program.
    fn script(desk: &Desk, text: &str) -> Said {
        let text = format!("kripke() {{ \"{}\" \"$@\"; }}\n{text}", env!("CARGO_BIN_EXE_kripke"));
        let mut command = Command::new("bash");
        command.args(["-c", &text]).current_dir(&desk.dir).stdin(Stdio::null());
        command.output().unwrap().into()
    }

    #[test]
    fn only_regular_files_are_written() {
        let desk = Desk::new();
        pipe(&desk, "pipe");
        desk.write("target.json", "precious");
        symlink("target.json", desk.path("link")).unwrap();
        symlink("nothing.json", desk.path("dangling")).unwrap();
        // A device of our own, where one may be made: the machine needs its others.
        let made = Command::new("mknod").arg(desk.path("device")).args(["c", "1", "3"]).output();
        let device = made.is_ok_and(|made| made.status.success()).then_some(("device", "a device"));
        let others = [("pipe", "a pipe"), ("link", "a link"), ("dangling", "a link")];
        for (name, word) in others.into_iter().chain(device) {
            for force in ["", "--force"] {
                let said = desk.run(&format!("check second.pml --trail {name} {force}")).expect(2);
                assert!(said.err.contains(word), "{name}: {}", said.err);
            }
        }
        symlink("target.json", desk.path("second.trail.json")).unwrap();
        symlink("target.json", desk.path("stuck.itf.json")).unwrap();
        for model in ["second", "stuck"] {
            assert!(desk.run(&format!("check {model}.pml --itf")).expect(1).err.contains("it is a link"));
        }
        assert!(desk.run("bench second.pml --csv link").expect(2).err.contains("it is a link"));
        assert_eq!(desk.read("target.json"), "precious");
        let link = |name: &str| desk.path(name).is_symlink();
        assert!(link("link") && link("second.trail.json") && link("stuck.itf.json") && !desk.has("nothing.json"));
        assert!(names(&desk, "").iter().all(|name| !name.contains("tmp")));
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        let desk = Desk::new();
        desk.run("second.pml").expect(1);
        let path = desk.path("second.trail.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        desk.run("second.pml").expect(1);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn devices_and_pipes_inside_a_model_are_not_waited_for() {
        let desk = Desk::new();
        pipe(&desk, "pipe");
        desk.write("zero.pml", "byte x;\n  #include \"/dev/zero\"\ninit { skip }\n");
        desk.write("pipe.pml", "#include \"pipe\"\ninit { skip }\n");
        desk.write("zero.mdve", "byte x;\ninclude(/dev/zero)");
        for (args, place) in [
            ("check zero.pml", "zero.pml:2:3"),
            ("check pipe.pml", "pipe.pml:1:1"),
            ("check zero.mdve", "zero.mdve:2:1"),
            ("check /dev/zero", "/dev/zero"),
            ("simulate /dev/zero", "/dev/zero"),
            ("check second.pml --ltl-file /dev/zero", "/dev/zero"),
            ("check second.pml --hoa /dev/zero", "/dev/zero"),
            ("replay second.pml /dev/zero", "/dev/zero"),
            ("ltl --from-never /dev/zero", "/dev/zero"),
            ("ltl --from-hoa /dev/zero", "/dev/zero"),
            ("combine /dev/zero /dev/zero", "/dev/zero"),
            ("bench second.pml --expect /dev/zero", "/dev/zero"),
        ] {
            let said = desk.run(args).expect(2);
            assert!(said.err.contains("not a regular file") && said.err.contains(place), "{args}: {}", said.err);
        }
        let said = script(&desk, "kripke check - < /dev/zero").expect(2);
        assert!(said.err.contains("too large"), "{}", said.err);
        script(&desk, "kripke simulate -i hello.pml < /dev/zero").expect(0);
    }

    #[test]
    fn a_pipe_that_the_user_names_is_read() {
        let desk = Desk::new();
        let said =
            script(&desk, "kripke check <(cat second.pml) --no-trail --ltl '[] (critical < 3)' --safety").expect(1);
        assert!(said.out.contains("assertion violated"), "{}", said.out);
        script(&desk, "cat second.pml | kripke check /dev/stdin --no-trail").expect(1);
    }

    #[test]
    fn a_limit_on_the_size_of_files_is_an_error_like_any_other() {
        let desk = Desk::new();
        let said = script(&desk, "(ulimit -f 0; kripke check second.pml)").expect(1);
        assert!(said.err.contains("warning: can't write second.trail.json: File too large"), "{}", said.err);
        let said = script(&desk, "(ulimit -f 0; kripke check second.pml --trail asked.json)").expect(3);
        assert!(said.err.contains("error: can't write asked.json: File too large"), "{}", said.err);
        assert!(said.out.contains("assertion violated"), "{}", said.out);
        script(&desk, "(ulimit -f 0; kripke bench second.pml --csv asked.csv)").expect(3);
        assert_eq!(names(&desk, "asked"), Vec::<String>::new());
        assert_eq!(names(&desk, "second"), ["second.pml"]);
        let said = script(&desk, "(ulimit -f 0; kripke check peterson.pml > out.txt)").expect(3);
        assert!(said.err.contains("can't write to standard output: File too large"), "{}", said.err);
        // One that was there stays as it was.
        desk.run("check second.pml").expect(1);
        let before = desk.read("second.trail.json");
        script(&desk, "(ulimit -f 0; kripke check second.pml)").expect(1);
        assert_eq!(desk.read("second.trail.json"), before);
    }

    /// A file system with no room, where one can be mounted.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_leaves_no_half_of_a_file() {
        let desk = Desk::new();
        desk.run("check second.pml").expect(1);
        let inside = "mkdir small && mount -t tmpfs -o size=16k none small || exit 77
            cp second.trail.json small/ours.json && cd small && cat /dev/zero > filler
            $KRIPKE check ../second.pml --trail asked.json; echo status $?
            $KRIPKE check ../second.pml --trail ours.json; echo status $?
            $KRIPKE check ../second.pml; echo status $?
            cmp ours.json ../second.trail.json && ls -A";
        let mut command = Command::new("unshare");
        command.args(["-Urm", "bash", "-c", inside]).env("KRIPKE", env!("CARGO_BIN_EXE_kripke"));
        let said = match command.current_dir(&desk.dir).stdin(Stdio::null()).output() {
            Ok(output) => Said::from(output),
            Err(e) => return eprintln!("not tried: {e}"),
        };
        if said.status == 77 || said.err.contains("unshare:") {
            return eprintln!("not tried: {}", said.err);
        }
        let last: Vec<&str> = said.out.lines().rev().take(2).collect();
        assert_eq!(last, ["ours.json", "filler"], "{}", said.out);
        let statuses: Vec<&str> = said.out.lines().filter(|l| l.starts_with("status")).collect();
        assert_eq!(statuses, ["status 3", "status 3", "status 1"], "{}", said.err);
        assert!(said.err.contains("error: can't write asked.json: No space left on device"), "{}", said.err);
    }

    /// A reader that has seen enough ends the program without a word.
    #[test]
    fn a_broken_pipe_is_quiet() {
        let desk = Desk::new();
        let start = Instant::now();
        for args in ["simulate endless.pml --steps 1G -p", "simulate endless.pml --steps 1G -p --seed 1"] {
            let mut child = desk.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut some = [0; 10];
            child.stdout.take().unwrap().read_exact(&mut some).unwrap();
            let said = child.wait_with_output().unwrap();
            assert!(!String::from_utf8_lossy(&said.stderr).contains("error"), "{args}: {said:?}");
            assert_eq!(said.status.code(), Some(0), "{args}");
        }
        assert!(start.elapsed() < Duration::from_secs(60));
        // What is closed before the start is no place to write to; nothing breaks.
        assert_eq!(script(&desk, "kripke check second.pml >&-").expect(1).err, "");
        assert_eq!(
            script(&desk, "kripke check second.pml | head -1 >/dev/null; exit ${PIPESTATUS[0]}").expect(1).err,
            ""
        );
    }
}

/// One trail by default, named after the model and the property. Models of the same name do not share a trail, and each model
/// gets its own one back.
#[test]
fn trails_of_different_models_have_different_names() {
    let desk = Desk::new();
    let model =
        |n: u8| format!("byte x;\nactive proctype p() {{ x = {n}; assert(x == 0) }}\nltl zero {{ [] (x == 0) }}\n");
    for (folder, n) in [("d1", 1), ("d2", 2), ("d3/d2", 3)] {
        fs::create_dir_all(desk.path(folder)).unwrap();
        desk.write(&format!("{folder}/m.pml"), model(n));
        desk.run(&format!("{folder}/m.pml --property safety")).expect(1);
    }
    assert_eq!(names(&desk, ""), {
        let mut all = names(&Desk::new(), "");
        all.extend(["d1", "d2", "d3", "d2-m.trail.json", "m-2.trail.json", "m.trail.json"].map(String::from));
        all.sort();
        all
    });
    for (folder, n) in [("d1", 1), ("d2", 2), ("d3/d2", 3)] {
        let said = desk.run(&format!("replay {folder}/m.pml")).expect(1);
        assert!(said.out.contains(&format!("x = {n}")), "{}", said.out);
    }
    // The newest trail of a model is replayed, and both properties keep theirs.
    let said = desk.run("d1/m.pml").expect(1);
    assert!(
        said.out.starts_with("  ✗ safety   assertion violated: assert(x==0)   d1/m.pml:2   2 steps → m.trail.json\n"),
        "{}",
        said.out
    );
    assert!(said.out.contains("\n  ✗ zero   1 step → m.zero.trail.json\n"), "{}", said.out);
    assert!(said.out.contains("kripke replay d1/m.pml m.trail.json -i"), "{}", said.out);
    // Both were written within the precision of the clock of the file system.
    let newest = fs::File::options().append(true).open(desk.path("m.zero.trail.json")).unwrap();
    newest.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(1)).unwrap();
    assert!(desk.run("replay d1/m.pml").expect(1).out.starts_with("✗ zero violated\n"));
    assert!(desk.run("replay d1/m.pml m.trail.json").expect(1).out.contains("assertion violated"));
}

#[test]
fn all_errors_have_numbered_trails() {
    let desk = Desk::new();
    let said = desk.run("second.pml --all-errors").expect(1);
    assert_eq!(names(&desk, "second."), ["second.2.trail.json", "second.pml", "second.trail.json"]);
    assert!(said.out.contains("written: second.trail.json, second.2.trail.json\n"), "{}", said.out);
    let line = |said: Said| said.out.lines().next().unwrap_or_default().to_string();
    assert!(line(desk.run("replay second.pml second.trail.json").expect(1)).ends_with("second.pml:10"));
    assert!(line(desk.run("replay second.pml second.2.trail.json").expect(1)).ends_with("second.pml:21"));
    let said = desk.run("second.pml --trail - --itf").expect(2);
    assert!(said.err.contains("--trail - and --itf"), "{}", said.err);
}
