//! Trace tables: columns and rows by choice, widths, remarks on lassos.

use crate::program::Desk;
use crate::snapshots::{example, snapshot};

/// Goals that the alternating bit protocol reaches, and an expression to watch, by language.
const GOALS: [(&str, &str, &str); 3] = [
    ("pml", "receiver:next==2", "len(to_receiver)"),
    ("dve", "receiver->next==2", "receiver->next+1"),
    ("esml", "Receiver.expected=1", "Receiver.expected+1"),
];

#[test]
fn tables_fit_their_width_in_three_languages() {
    let desk = Desk::new();
    for (language, goal, watch) in GOALS {
        let model = format!("alternating-bit.{language}");
        example(&desk, &model);
        desk.run(&format!("{model} --reach {goal}")).expect(1);
        for width in [80, 120, 200] {
            for options in ["", " --all"] {
                let mut command = desk.command(&format!("replay {model} --watch {watch}{options}"));
                let output = command.env("COLUMNS", width.to_string()).output().unwrap();
                let text = String::from_utf8(output.stdout).unwrap();
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} for {width}:\n{text}");
                if width == 80 {
                    snapshot(&format!("table-{language}{}.txt", options.replace(" --", "-")), &text);
                }
            }
        }
    }
}

#[test]
fn listings_and_itf_traces_in_three_languages() {
    for (language, goal, _) in GOALS {
        let desk = Desk::new();
        let model = format!("alternating-bit.{language}");
        example(&desk, &model);
        desk.run(&format!("{model} --reach {goal} --trail run.trail.json --itf")).expect(1);
        let said = desk.run(&format!("replay {model} run.trail.json --format list")).expect(1);
        snapshot(&format!("list-{language}.txt"), &said.out);
        snapshot(&format!("itf-{language}.json"), &desk.read("run.itf.json"));
    }
}

#[test]
fn columns_and_rows_are_chosen() {
    let desk = Desk::new();
    example(&desk, "alternating-bit.pml");
    desk.run("alternating-bit.pml --reach receiver:next==2").expect(1);
    let said = desk.run("replay alternating-bit.pml --show sender.*,to_* --process sender --changes").expect(1);
    snapshot("table-chosen.txt", &said.out);
    let said = desk.run("replay alternating-bit.pml --statement to_* --hide to_*,receiver.*").expect(1);
    assert_eq!(said.out.lines().filter(|line| line.contains("to_")).count(), 6, "{}", said.out);
    assert!(!said.out.contains("expected"), "{}", said.out);
    let said = desk.run("replay alternating-bit.pml --show sender.nothing").expect(2);
    assert!(
        said.err.contains("--show: no variable matches `sender.nothing`; the run has to_receiver,"),
        "{}",
        said.err
    );
    let said = desk.run("replay alternating-bit.pml --watch nothing").expect(2);
    assert!(said.err.contains("`nothing` is not declared"), "{}", said.err);
    for (options, message) in [
        ("--process nothing", "--process: no step of the run matches `nothing`"),
        ("--statement nothing", "--statement: no step of the run matches `nothing`"),
        ("--show sender.* -p", "--show is an option of the table"),
        ("--watch 1 --format json", "--watch is an option of the table"),
        ("--process sender --chart text", "--process is an option of the table"),
        ("--changes -i --plain", "--changes is an option of the table"),
    ] {
        let said = desk.run(&format!("replay alternating-bit.pml {options}")).expect(2);
        assert!(said.err.contains(message), "{options}: {}", said.err);
    }
}

/// The type of a watched expression of ESML is a number, BOOLEAN or an enumeration.
#[test]
fn only_single_values_are_watched() {
    let desk = Desk::new();
    example(&desk, "alternating-bit.esml");
    desk.run("alternating-bit.esml --reach Receiver.expected=1").expect(1);
    let said = desk.run("replay alternating-bit.esml --watch Receiver.p").expect(2);
    assert!(said.err.contains("this is of type `packet`, which has several values"), "{}", said.err);
    let said = desk.run("alternating-bit.esml --reach Receiver.expected+1").expect(2);
    assert!(said.err.contains("this is an integer, not BOOLEAN"), "{}", said.err);
}

/// The same command prints the same lasso, whatever the number of threads and however often it is executed.
#[test]
fn lassos_do_not_depend_on_threads() {
    let desk = Desk::new();
    desk.write(
        "ring.pml",
        "byte a[4]; byte n;\nactive [4] proctype p() {\n  do\n  :: a[_pid] = (a[_pid] + 1) % 3; n = _pid\n  :: n == _pid -> a[_pid] = 0\n  od\n}\n\
         ltl live { [] (a[0] == 1 -> <> (a[1] == 2 && a[2] == 1)) }\n",
    );
    desk.write(
        "acc.pml",
        "byte x;\nactive [3] proctype p() {\n  do\n  :: x = (x + 1) % 5;\naccept: x = (x + 2) % 5\n  od\n}\n",
    );
    for question in ["ring.pml", "ring.pml --fair weak", "ring.pml --cycles scc", "acc.pml --acceptance"] {
        let shown = |threads: u8| {
            let said = desk.run(&format!("{question} -j{threads} --no-trail")).expect(1);
            let table = said.out.lines().skip_while(|line| !line.contains("statement")).map(String::from);
            table.collect::<Vec<_>>()
        };
        let first = shown(1);
        assert!(first.len() > 3, "{first:?}");
        for threads in [1, 2, 4, 4, 4] {
            assert_eq!(first, shown(threads), "{question} -j{threads}");
        }
    }
    let said = desk.run("acc.pml --acceptance --no-slicing --no-trail").expect(1);
    assert!(said.out.contains("     shortest trace, "), "{}", said.out);
    assert!(
        !desk.run("ring.pml --no-trail").expect(1).out.contains("violated: acceptance cycle   ring.pml     shortest")
    );
}

/// The cycle, the obligation that is never met, and the fairness that excludes the run, in three languages.
#[test]
fn a_lasso_says_why_it_is_a_counterexample() {
    let desk = Desk::new();
    for (model, question, note) in [
        (
            "fair-weak.pml",
            "--ltl <>open",
            "door is enabled throughout the cycle and never moves: `--fair weak` excludes this run",
        ),
        (
            "fair-strong.pml",
            "--fair weak --ltl <>inside",
            "guest is enabled again and again and never moves: `--fair strong` excludes this run",
        ),
        (
            "fair-impartial.pml",
            "--fair strong --ltl <>passed",
            "this run is strongly fair: every process that is enabled again and again moves",
        ),
        (
            "fairness.dve",
            "--fair weak --ltl <>guest.inside",
            "guest is enabled again and again and never moves: `--fair strong` excludes this run",
        ),
        (
            "fairness.esml",
            "--fair none --ctl AF(Bell.rings)",
            "Clock, Door, Bell and Guest are enabled throughout the cycle and never move: `--fair weak` excludes this run",
        ),
    ] {
        example(&desk, model);
        let said = desk.run(&format!("{model} {question}")).expect(1);
        assert!(said.out.contains(note), "{model}:\n{}", said.out);
        let again = desk.run(&format!("replay {model}")).expect(1);
        assert!(again.out.contains(note), "{model}:\n{}", again.out);
    }
    let said = desk.run("fair-strong.pml -j1 --ltl []((open)-><>(inside))").expect(1);
    snapshot("lasso-obligation.txt", &said.steady());
    desk.write("np.pml", "bit x;\nactive proctype p() { progress: x = 1; do :: x = 1 - x od }\n");
    let said = desk.run("np.pml --non-progress").expect(1);
    assert!(said.out.contains("no process is at a `progress` label on the cycle"), "{}", said.out);
    desk.write("acc.pml", "bit x;\nactive proctype p() { do :: x = 1; accept_loop: x = 0 od }\n");
    let said = desk.run("acc.pml --acceptance").expect(1);
    assert!(said.out.contains("the cycle visits `accept_loop` of p"), "{}", said.out);
}

/// A process that has nothing to do with the error, and a round of a loop that changes nothing, are left out.
#[test]
fn steps_that_suffice_for_an_error_are_named() {
    let desk = Desk::new();
    desk.write(
        "cause.pml",
        "byte x, y;\nactive proctype idle() { y = 1; y = 2 }\nactive proctype p() { x = 1; x = 2; assert(x != 2 || y != 2) }\n\
         active proctype other() { skip }\n",
    );
    let said = desk.run("cause.pml --search dfs --raw -j1").expect(1);
    assert!(said.out.contains("\n  steps that suffice for the error: "), "{}", said.out);
    snapshot("cause.txt", &said.steady());
    let coloured = desk.run("cause.pml --search dfs --raw -j1 --color always").expect(1);
    assert!(coloured.out.contains("\u{1b}[2m"), "{}", coloured.out);
}
