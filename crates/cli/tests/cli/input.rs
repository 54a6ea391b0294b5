//! Bad input of every kind: a clear error and status 2.

use crate::program::Desk;

#[test]
fn files_that_are_no_models() {
    let desk = Desk::new();
    desk.write("empty.pml", "");
    desk.write("binary.pml", [0u8, 159, 146, 150, 255, 7]);
    std::fs::create_dir(desk.path("folder.pml")).unwrap();
    for (file, word) in [
        ("missing.pml", "missing.pml"),
        ("empty.pml", "empty.pml"),
        ("binary.pml", "binary.pml"),
        ("folder.pml", "directory"),
        ("bad.pml", "bad.pml:1:20"),
    ] {
        for command in ["check", "simulate"] {
            let said = desk.run(&format!("{command} {file}")).expect(2);
            assert!(said.err.contains(word), "{command} {file}: {}", said.err);
            assert!(said.err.starts_with("error"), "{command} {file}: {}", said.err);
            assert_eq!(said.out, "", "{command} {file}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let path = desk.path("second.pml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Some users may read everything.
    if std::fs::read(&path).is_err() {
        assert!(desk.run("second.pml").expect(2).err.contains("permission denied"));
    }
}

#[test]
fn wrong_usage_is_explained() {
    let desk = Desk::new();
    for args in [
        "",
        "check",
        "check second.pml --nonsense",
        "second.pml --mem lots",
        "second.pml --timeout soon",
        "second.pml -c many",
        "second.pml -j0",
        "check second.pml peterson.pml --trail x.json",
        "second.pml --trail x.json --no-trail",
        "replay",
        "completions nosuchshell",
        "man nosuchcommand",
    ] {
        let said = desk.run(args).expect(2);
        assert!(!said.err.is_empty(), "{args}");
        assert_eq!(said.out, "", "{args}");
    }
}

#[test]
fn help_version_and_papers() {
    let desk = Desk::new();
    assert!(desk.run("--version").expect(0).out.starts_with("kripke "));
    assert!(desk.run("--help").expect(0).out.contains("Exit status:"));
    assert!(desk.run("check --help").expect(0).out.contains("--max-depth"));
    assert!(desk.run("completions bash").expect(0).out.contains("kripke"));
    assert!(desk.run("man").expect(0).out.starts_with(".ie"));
    assert!(desk.run("man check").expect(0).out.contains("max\\-depth"));
}
