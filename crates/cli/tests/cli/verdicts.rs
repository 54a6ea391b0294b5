//! What a verdict covers, and that there is one.

use crate::program::{Desk, Said};

/// A deadlock, an assertion that fails and two labels, whichever are wanted.
const STUCK: &str = "chan c = [0] of { bit };
active proctype P() { progress_p: skip; accept_a: do :: true -> progress: skip :: break od; c!1 }
";

const FINE: &str = "bit x;
active proctype P() { do :: x = 1 - x; progress: assert(x < 2) od }
";

#[track_caller]
fn found(said: &Said, what: &str) {
    assert!(said.out.contains(what), "{what}\nout:\n{}\nerr:\n{}", said.out, said.err);
}

#[test]
fn a_question_about_cycles_keeps_end_states() {
    let desk = Desk::new();
    desk.write("stuck.pml", STUCK.replace("accept_a:", ""));
    for args in
        ["-a", "-l", "-a -A", "-a -f", "-l -f", "-l --fair strong", "-a --raw --engine interpret", "-l --raw -j1"]
    {
        let fair = args.contains("-f") || args.contains("--fair");
        for cycles in ["auto", "scc", "nested", "cndfs", "ufscc"] {
            if fair && args.contains("-l") && !["auto", "scc"].contains(&cycles) {
                let refused = desk.run(&format!("stuck.pml {args} --cycles {cycles}")).expect(2);
                assert!(refused.err.contains("--cycles: fairness is decided"), "{}", refused.err);
                continue;
            }
            let said = desk.run(&format!("stuck.pml {args} --cycles {cycles}")).expect(1);
            found(&said, "invalid end state");
            found(&desk.run("replay stuck.pml").expect(1), "invalid end state");
            let off = desk.run(&format!("stuck.pml {args} -E --cycles {cycles}")).expect(0);
            found(&off, "not checked: invalid end states");
        }
    }
    // Cycles are still found where there is nothing else.
    desk.write("cycle.pml", STUCK.replace("c!1", "skip"));
    found(&desk.run("cycle.pml -a").expect(1), "acceptance violated");
    desk.run("cycle.pml").expect(0);
}

/// A claim decides which runs count, as it does for SPIN.
#[test]
fn a_claim_keeps_end_states_out() {
    let desk = Desk::new();
    desk.write("m.pml", format!("{STUCK}never {{ do :: true od }}").replace("accept_a:", ""));
    found(&desk.run("m.pml -a").expect(0), "not checked: invalid end states");
    found(&desk.run("m.pml -a --safety").expect(1), "invalid end state");
    desk.run("m.pml -l").expect(1);
}

#[test]
fn assertions_are_checked_unless_told_otherwise() {
    let desk = Desk::new();
    desk.write("m.pml", FINE.replace("x < 2", "x == 0"));
    for args in ["-a", "-l", "-a -f", "--ltl [](x<2)", "--ctl AG(x<2)"] {
        found(&desk.run(&format!("m.pml {args}")).expect(1), "assertion violated");
        found(&desk.run(&format!("m.pml {args} -A")).expect(0), "not checked: failed assertions");
    }
}

#[test]
fn what_was_not_checked_is_said() {
    let desk = Desk::new();
    desk.write("m.pml", format!("{FINE}ltl p {{ [](x < 2) }} ltl q {{ []<>(x == 1) }}"));
    for (args, what) in [
        ("", "non-progress cycles"),
        ("-l -N q", "ltl p"),
        ("-l --safety --no-claim", "ltl p, ltl q"),
        ("--reach x==2", "failed assertions, invalid end states, non-progress cycles, ltl p, ltl q"),
        (
            "--ctl EF(x==1) -A",
            "failed assertions, invalid end states, non-progress cycles, ltl p, ltl q, errors in states",
        ),
        ("-N p -l", "ltl q"),
    ] {
        let said = desk.run(&format!("m.pml {args}")).expect(0);
        let line = said.out.lines().find(|line| line.contains('✓')).unwrap_or_default();
        assert!(line.contains(&format!("   not checked: {what}")), "{args}: {}", said.out);
        let brief = desk.run(&format!("m.pml {args} -q")).expect(0);
        found(&brief, &format!("   not checked: {what}"));
        let properties = desk.run(&format!("m.pml {args} --format json")).expect(0).json();
        let listed = properties["properties"][0]["not_checked"].as_array().expect("a list").iter();
        let listed: Vec<&str> = listed.filter_map(|v| v.as_str()).collect();
        assert!(listed.join(", ").starts_with(what), "{args}: {listed:?}");
    }
    let all = desk.run("m.pml -l --safety -N p -N q").expect(0);
    assert!(!all.out.contains("not checked"), "{}", all.out);
    let json = desk.run("m.pml -l -A --format json").expect(0).json();
    assert_eq!(json["properties"][0]["checked"], serde_json::json!(["end_states", "faults"]));
}

#[test]
fn labels_that_are_missing_are_warned_of() {
    let desk = Desk::new();
    desk.write("none.pml", "active proctype P() { skip }");
    found(
        &Said { out: desk.run("none.pml -a").expect(0).err, err: String::new(), status: 0 },
        "no location has an `accept` label",
    );
    found(
        &Said { out: desk.run("none.pml -l").expect(0).err, err: String::new(), status: 0 },
        "no location has a `progress` label",
    );
    desk.write("some.pml", "active proctype P() { accept: progress: skip; x: skip }");
    assert_eq!(desk.run("some.pml -a -l").expect(0).err, "");
}

/// Two successors that are one state of the reduced model.
#[test]
fn branching_is_judged_where_states_coincide() {
    let desk = Desk::new();
    desk.write("m.pml", "byte x; bit y; active proctype P() { if :: x = 1 :: x = 2 fi }");
    desk.write("n.pml", "byte c; bit y; active proctype P() { do :: c++ :: c = c + 2 :: y = y od }");
    for (model, formula, status) in [
        ("m", "AX(y==0)", 0),
        ("m", "EX(y==1)", 1),
        ("m", "AX(AX(y==0))", 0),
        ("m", "!EX(EX(y==1))", 0),
        ("m", "AG(AX(y==0))", 0),
        ("n", "EG(y==0)", 0),
        ("n", "AF(y==1)", 1),
        ("n", "AX(EG(y==0))", 0),
        ("n", "EX(EX(y==1))", 1),
    ] {
        for args in ["", "--raw", "--no-slicing", "-f", "-j1 --engine interpret"] {
            desk.run(&format!("{model}.pml --ctl {formula} {args}")).expect(status);
        }
    }
}

/// Errors of several processes in one state come in another order where successors are left out.
#[test]
fn an_error_is_replayed_whatever_comes_before_it() {
    let desk = Desk::new();
    desk.write(
        "m0.pml",
        "byte a[2], i = 3; active [2] proctype P() { a[i] = 1 } active proctype Q() { byte x; x = i; assert(x == 0) }",
    );
    desk.write("m1.pml", "bit f; active [2] proctype P() { assert(f); assert(f) }");
    desk.write("m2.pml", "byte g; active [2] proctype P() { byte l; l = 1; assert(l == 0); g = 1 / g; assert(g) } active proctype Q() { assert(g == 1) }");
    for model in ["m0", "m1", "m2"] {
        for args in [
            "",
            "-j1",
            "--search dfs",
            "--symmetry",
            "--engine interpret",
            "--no-coarsening",
            "-a",
            "-l --cycles nested",
        ] {
            for all in ["", "--all-errors"] {
                if args.contains("nested") && !all.is_empty() {
                    desk.run(&format!("{model}.pml {args} {all}")).expect(2);
                    continue;
                }
                let said = desk.run(&format!("{model}.pml {args} {all}")).expect(1);
                let again = desk.run(&format!("replay {model}.pml")).expect(1);
                let (first, second) = (said.out.lines().next(), again.out.lines().next());
                // A replay is not about a property.
                let short = |l: &str| l.split("   ").next().and_then(|l| l.split(" (`").next()).map(str::to_string);
                let headline = |line: Option<&str>| line.and_then(short).unwrap_or_default();
                assert_eq!(headline(first), headline(second), "{model} {args} {all}");
            }
        }
    }
}

/// An atomic sequence that rests at a channel goes on in several ways when it can.
#[test]
fn an_audit_follows_sequences_that_rest() {
    let desk = Desk::new();
    desk.write(
        "m.pml",
        "chan c = [1] of { byte }; byte g, h;
active proctype P() { byte m; c?m }
active proctype Q() { byte l, m; do :: if :: l = 2 :: skip fi; m = l od }
active proctype R() { byte l, m; c!l; atomic { l++; h = g; c!1; m = l }; if :: h = g; if :: skip :: skip fi :: g = 1; c!l fi }
",
    );
    for args in ["-j1", "-j1 --engine interpret", "--ltl [](g<2)"] {
        let said = desk.run(&format!("m.pml --audit=1 {args} -E --format json")).expect(0).json();
        assert!(said["options"]["audited"].as_u64() > Some(0), "{args}");
    }
}

/// `enabled` about a process that has to know the answer first. SPIN has an error for oneself, and overflows its stack for two.
#[test]
fn enabled_about_itself_is_a_fault() {
    let desk = Desk::new();
    desk.write("one.pml", "bit x; active proctype P() { do :: x == 0 && enabled(0) -> x = 1 :: x = 0 od }");
    desk.write("two.pml", "bit x; active proctype P() { enabled(1) } active proctype Q() { enabled(0) }");
    desk.write("three.pml", "bit x; active proctype P() { enabled(1) } active proctype Q() { enabled(2) } active proctype R() { enabled(0) }");
    desk.write("fine.pml", "bit x; active proctype P() { enabled(1); x = 1 } active proctype Q() { enabled(2) } active proctype R() { skip }");
    for args in ["", "--engine interpret", "--raw", "-a", "--ltl [](x==0) -A"] {
        for model in ["one", "two", "three"] {
            found(
                &desk.run(&format!("{model}.pml {args}")).expect(1),
                "`enabled` about a process that waits for the answer",
            );
        }
    }
    desk.run("fine.pml -E").expect(0);
    desk.run("fine.pml -E --engine interpret").expect(0);
    // A claim is nobody whom the answer depends on.
    desk.write("claim.pml", "bit x; active proctype P() { x = 1 } never { do :: enabled(0) :: !enabled(0) od }");
    desk.run("claim.pml").expect(0);
}

/// How long the run is, and whether it is called a shortest one.
fn length(said: &Said) -> (bool, u64) {
    let (before, after) = said.out.split_once("trace, ").unwrap_or_else(|| panic!("{}", said.out));
    let steps = after.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{}", said.out));
    (before.ends_with("shortest "), steps)
}

/// Merged statements are several steps: the nearest error by transitions need not be the nearest by steps.
#[test]
fn a_shortest_trace_is_one_also_where_statements_are_merged() {
    let desk = Desk::new();
    desk.write(
        "m.pml",
        "bit x, y; active proctype P() { byte l; x = 1; l = 1; l = 2; l = 3; l = 4; assert(l == 0) }
active proctype Q() { y = 1; y = 0; assert(y) }",
    );
    let raw = length(&desk.run("m.pml --raw").expect(1));
    assert_eq!(raw, (true, 3));
    for args in ["", "-j1", "--engine interpret", "--no-partial-order", "--store tree"] {
        assert_eq!(length(&desk.run(&format!("m.pml {args}")).expect(1)), raw, "{args}");
        desk.run("replay m.pml").expect(1);
    }
    // Where there is an atomic sequence, a run with fewer steps may have more transitions.
    desk.write(
        "n.pml",
        "bit y; active proctype P() { byte l; atomic { l = 1; l = 2; l = 3; l = 4; assert(l == 0) } }
active proctype Q() { y = 1; y = 0; assert(y) }",
    );
    assert_eq!(length(&desk.run("n.pml").expect(1)), (false, 5));
}

/// Which worker finds an error, and what it finds besides, does not change where the error is.
#[test]
fn an_error_beside_a_cycle_is_where_it_was_found() {
    let desk = Desk::new();
    desk.write(
        "m.pml",
        "chan c = [1] of { byte }; active proctype P() { byte l; L0: if :: c!0; goto accept_2 fi; accept_2: false }",
    );
    for algorithm in ["ufscc", "cndfs", "scc", "nested"] {
        for _ in 0..10 {
            desk.run(&format!("m.pml -a --cycles {algorithm} -j3 --no-trail")).expect(1);
        }
    }
}

/// A clause is a fault wherever its process stands, also where the process can never move again.
#[test]
fn a_fault_in_a_clause_outlasts_reductions() {
    let desk = Desk::new();
    desk.write(
        "m.pml",
        "byte x; byte a[2]; active proctype P() { x = 2; false }
         active proctype Q() provided (a[x] < 2) { if :: 0 == 1 :: x = 0 fi; false }",
    );
    for args in ["", "--raw", "--no-partial-order", "-l", "--ltl <>(x==3)", "--reach x==3"] {
        let said = desk.run(&format!("m.pml --no-trail {args}")).expect(1);
        assert!(said.out.contains("index out of range"), "{args}: {}", said.out);
    }
}
