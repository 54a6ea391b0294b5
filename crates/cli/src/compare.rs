//! `kripke compare`: equivalence of two state graphs.

use std::path::Path;

use kripke::request::{Questions, Request};
use kripke_report::graph::{Naming, formula};
use kripke_report::number::counted;
use kripke_report::run::flat;
use kripke_search::graph::{Comparison, Difference, Equivalence, Lts, compare};

use crate::args::Compare;
use crate::exit::{Failure, Status};
use crate::graph::{IN_FILES, built, hide, is_aut, patterns, read_aut, reductions};
use crate::{files, output};

pub fn run(args: &Compare) -> Result<Status, Failure> {
    let most = args.exploring.max_states.unwrap_or(IN_FILES);
    let (mut first, mut second) = (system(args, &args.first, most)?, system(args, &args.second, most)?);
    if is_aut(&args.first) || is_aut(&args.second) {
        // A file does not say which states are errors.
        first.marks.clear();
        second.marks.clear();
    }
    let equivalence: Equivalence = args.by.into();
    let said = compare(&first, &second, equivalence, most as usize).map_err(|states| {
        output::error(&format!(
            "the comparison of traces was given up after {states} sets of states; --max-states N allows more"
        ));
        Failure::Said(Status::Inconclusive)
    })?;
    let name = match equivalence {
        Equivalence::Strong => "strongly bisimilar",
        Equivalence::Branching => "branching bisimilar",
        Equivalence::Trace => "trace equivalent",
    };
    let (a, b) = (files::shown(&args.first), files::shown(&args.second));
    let size = |lts: &Lts| {
        let (states, transitions) = (u64::from(lts.states), lts.edges.len() as u64);
        format!("{}, {}", counted(states, "state"), counted(transitions, "transition"))
    };
    match said {
        Comparison::Equivalent => {
            output::print(&format!("{a} ({}) and {b} ({}) are {name}\n", size(&first), size(&second)));
            Ok(Status::Fine)
        }
        Comparison::Different(difference) => {
            output::print(&format!("{a} ({}) and {b} ({}) are not {name}\n", size(&first), size(&second)));
            output::print(&explained(&difference, &a, &b));
            Ok(Status::Violated)
        }
    }
}

fn explained(difference: &Difference, a: &str, b: &str) -> String {
    match difference {
        Difference::Formula { formulas, formula: number, labels } => {
            let text = formula(formulas, *number, labels);
            let lines: String = text.lines().map(|line| format!("  {line}\n")).collect();
            format!("true in the initial state of {a}, false in that of {b}:\n{lines}")
        }
        Difference::Trace { trace, first } => {
            let (has, lacks) = if *first { (a, b) } else { (b, a) };
            let lines: String = trace.iter().map(|label| format!("  {}\n", flat(label))).collect();
            format!("{has} has this trace, {lacks} has not:\n{lines}")
        }
        Difference::Deep(rounds) => format!("they differ after {rounds} steps, too many for a formula\n"),
    }
}

fn system(args: &Compare, file: &Path, most: u64) -> Result<Lts, Failure> {
    if is_aut(file) {
        return Ok(hide(read_aut(file)?, &args.exploring));
    }
    let request = Request {
        source: args.reading.source(),
        questions: Questions::default(),
        reductions: reductions(&args.exploring, &args.reading),
        ..Request::default()
    };
    let graph = built(file, &request, None, most)?;
    let visible = patterns(&args.exploring);
    Ok(graph.lts(Naming { labels: args.exploring.labels.into(), visible: visible.as_ref() }))
}
