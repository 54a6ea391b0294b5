//! States that differ only in who is who.

use crate::program::Desk;

/// Four workers take a semaphore; one that is careless lets two in.
const WORKERS: &str = "byte free = 1, inside; byte turns[6]; byte owner = 99;\n\
    active [4] proctype worker() {\n\
    again: atomic { free > 0 -> free--; owner = _pid };\n\
    inside++; assert(inside == 1); assert(owner == _pid); inside--; turns[_pid] = 1 - turns[_pid];\n\
    owner = 99; free++; goto again }\n";

fn states(desk: &Desk, args: &str, status: i32) -> (u64, serde_json::Value) {
    let report = desk.run(&format!("check {args} --format json")).expect(status).json();
    (report["states"].as_u64().unwrap(), report)
}

#[test]
fn interchangeable_processes_are_exchanged_when_asked_for() {
    let desk = Desk::new();
    desk.write("workers.pml", WORKERS);
    let (plain, report) = states(&desk, "workers.pml", 0);
    assert_eq!(report["options"]["symmetry"], "off: not wanted");
    let (fewer, report) = states(&desk, "workers.pml --symmetry", 0);
    assert_eq!(report["options"]["symmetry"], "on");
    assert_eq!(report["options"]["interchangeable"], serde_json::json!(["4 × worker"]));
    assert!(report["options"]["reductions"].as_array().unwrap().contains(&"symmetry".into()), "{report}");
    assert!(3 * fewer < plain, "{fewer} {plain}");
    for args in
        ["-j3", "--store tree", "--engine interpret", "--search dfs", "--compact", "--store cache --no-partial-order"]
    {
        assert_eq!(states(&desk, &format!("workers.pml --symmetry {args}"), 0).0, fewer, "{args}");
    }
    let (raw, report) = states(&desk, "workers.pml --symmetry --raw", 0);
    assert!(raw >= plain && report["options"]["symmetry"] == "off: --raw turns every reduction off", "{report}");
    let said = desk.run("workers.pml --symmetry -v").expect(0).out;
    assert!(said.contains("symmetry reduction") && said.contains("interchangeable: 4 × worker"), "{said}");
}

#[test]
fn a_counterexample_is_a_run_of_the_model() {
    let desk = Desk::new();
    desk.write("workers.pml", WORKERS.replace("byte free = 1", "byte free = 2"));
    let steps = |args: &str| {
        let (_, report) = states(&desk, &format!("workers.pml {args}"), 1);
        desk.run("replay workers.pml").expect(1);
        report["findings"][0]["steps"].as_u64().unwrap()
    };
    let shortest = steps("--raw");
    for args in ["", "-j3 --store tree", "--engine interpret", "--no-partial-order", "--no-coarsening --no-slicing"] {
        assert_eq!(steps(&format!("--symmetry {args}")), shortest, "{args}");
    }
    steps("--symmetry --search dfs");
    steps("--symmetry --all-errors");
}

#[test]
fn processes_end_when_they_have_to() {
    let desk = Desk::new();
    // Nobody can move only when the first two have ended; what waits for that is not symmetric.
    desk.write(
        "ends.pml",
        "byte n; chan c = [0] of { byte };\nactive [3] proctype p() { n++; if :: n < 3 :: else -> c!1 fi }\n\
         active proctype q() { timeout; n = 9; assert(n < 9) }",
    );
    for args in ["--symmetry", "--symmetry -A", "--symmetry --no-coarsening", "--symmetry --search dfs -A"] {
        let (_, report) = states(&desk, &format!("ends.pml {args}"), 1);
        assert_eq!(report["options"]["symmetry"], "on", "{report}");
        desk.run("replay ends.pml").expect(1);
        desk.run(&format!("ends.pml {}", args.replace("--symmetry", "--raw"))).expect(1);
    }
    assert!(!desk.run("ends.pml --symmetry -E -A --unreached").expect(0).out.contains("-end-"));
}

#[test]
fn formulas_are_judged_together_with_symmetry() {
    let desk = Desk::new();
    desk.write("workers.pml", WORKERS);
    // Whether somebody gets in is one question, whether a certain one does is another.
    let cases = [
        ("<>[](inside==0)", 1, 4),
        ("[]<>(inside==1)", 0, 4),
        ("[](inside<2)", 0, 4),
        ("<>(inside==1)", 0, 4),
        ("[]<>(owner==2)", 1, 3),
    ];
    for (formula, status, members) in cases {
        let (raw, _) = states(&desk, &format!("workers.pml --ltl {formula} --raw"), status);
        let (fewer, report) = states(&desk, &format!("workers.pml --ltl {formula} --symmetry"), status);
        assert_eq!(
            report["options"]["interchangeable"],
            serde_json::json!([format!("{members} × worker")]),
            "{formula}"
        );
        assert!(status == 1 || fewer <= raw, "{formula}");
        if status == 1 {
            desk.run("replay workers.pml").expect(1);
        }
    }
    for args in ["--ctl AG(EF(inside==1))", "--ltl [](inside<2) --fair weak"] {
        let (_, report) = states(&desk, &format!("workers.pml --symmetry {args}"), 0);
        let said = report["options"]["symmetry"].as_str().unwrap().to_string();
        assert!(said.starts_with("off: "), "{said}");
    }
}

#[test]
fn what_tells_processes_apart_is_named() {
    let desk = Desk::new();
    let cases = [
        ("active [3] proctype p() { byte x; x = _pid; assert(x < 9) }", "is used as a number (<)"),
        ("byte x = 9; active [3] proctype p() { x = _pid } active proctype q() { (x == 1) -> x = 9 }", "on"),
        ("byte n; active [2] proctype p() { n++; (_nr_pr == 2); n-- }", "the model reads the number of processes"),
        ("byte n; active [2] proctype p() { n = _last } ", "the model reads which process moved last"),
        (
            "chan c[3] = [1] of { byte }; proctype p(chan a; chan b) { do :: a!1 :: b?_ od }\n\
          init { atomic { run p(c[0], c[1]); run p(c[1], c[2]); run p(c[2], c[0]) } }",
            "they use each other's channels",
        ),
        ("chan c = [1] of { byte }; active [2] proctype p() { xr c; do :: c?_ :: c!1 od }", "exclusive channel claim"),
        ("hidden byte h; active [2] proctype p() { do :: h = 1 - h od }", "hidden variables"),
        (
            "byte n; proctype p() { n++ } init { byte k; do :: k < 2 -> k++; run p() :: break od }",
            "ends in the startup phase",
        ),
        (
            "byte n; active proctype p() { n++ } active proctype q() { n-- }",
            "no two processes are instances of one template",
        ),
        (
            "byte n; active [2] proctype p() { done: do :: n = 1 - n od } active proctype q() { n = 2; (p[1]@done || n == 5) }",
            "the model names it individually",
        ),
    ];
    for (text, why) in cases {
        desk.write("case.pml", text);
        let said = desk.run("case.pml --symmetry --no-trail --format json --no-slicing");
        let report: serde_json::Value =
            serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e} {text} {}", said.err));
        let symmetry = report["options"]["symmetry"].as_str().unwrap_or_default();
        assert!(symmetry.contains(why), "{text}\n{symmetry}");
    }
}
