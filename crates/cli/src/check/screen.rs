//! The screen of a check: results as text for people.

use std::path::Path;
use std::time::Duration;

use kripke::answer::{Answer, Results};
use kripke::explain::Explained;
use kripke::layers::state_bits;
use kripke::request::Request;
use kripke::survey::Surveyed;
use kripke::symmetric;
use kripke::task::{Kind, Task};
use kripke_model::trail::Replayed;
use kripke_reduce::por::NO_REDUCTION;
use kripke_report::escape::visible;
use kripke_report::json;
use kripke_report::names::Names;
use kripke_report::ranks::ranks_table;
use kripke_report::run::Run;
use kripke_report::screen::{Checked, trace};
use kripke_report::select::Selection;
use kripke_report::survey::{profile, profile_text, ranges_text};
use kripke_report::table::Look;
use kripke_report::verdict::Verdict;
use kripke_report::{coverage, decision, number};
use kripke_search::{End, Outcome};

use crate::args::Check;
use crate::output;
use crate::trails::Written;

/// The results of a check with the files that were written for them, one for each answer.
pub struct Done {
    pub results: Results,
    pub trails: Vec<Written>,
    /// Seconds of processor time.
    pub cpu: Option<f64>,
    /// Statistics of the state space, if they are wanted.
    pub surveyed: Option<Surveyed>,
}

impl Done {
    /// All answers, each with its files.
    pub fn answers(&self) -> impl Iterator<Item = (&Answer, &Written)> {
        self.results.answers.iter().zip(&self.trails)
    }

    fn trail(&self, answer: &Answer) -> &Written {
        let at = self.results.answers.iter().position(|a| std::ptr::eq(a, answer)).unwrap_or(0);
        &self.trails[at]
    }

    /// The whole check in one line.
    pub fn brief(&self) -> String {
        let decisive = self.results.decisive();
        let alone = self.results.answers.len() == 1;
        self.checked(decisive).brief(self.trail(decisive).name().as_deref(), alone)
    }

    /// The whole check.
    pub fn screen(&self, args: &Check, file: &Path) -> String {
        let mut out = String::new();
        let alone = self.results.answers.len() == 1;
        if !alone {
            self.answers().for_each(|(a, trail)| out.push_str(&self.checked(a).line(trail.name().as_deref())));
            out.push('\n');
        }
        let decisive = self.results.decisive();
        if alone || !matches!(decisive.verdict, Verdict::Holds(_)) {
            out.push_str(&self.answer(decisive, args, file));
        }
        out.push_str(&self.never_executed(args));
        out.push_str(&self.statistics(args));
        if args.showing.verbose {
            out.push_str(&self.particulars());
            out.push_str(&self.plans(&args.request()));
        }
        out
    }

    /// The statistics that are wanted.
    fn statistics(&self, args: &Check) -> String {
        let Some(Surveyed { survey, executions, ranges }) = &self.surveyed else { return String::new() };
        let mut out = String::new();
        if args.statistics.statistics {
            out.push_str(&survey.text());
        }
        if args.statistics.profile {
            out.push_str(&profile_text(&profile(&self.results.model, executions)));
        }
        if args.statistics.ranges {
            out.push_str(&ranges_text(ranges));
        }
        if !survey.complete {
            let seen = number::counted(survey.unique, "state");
            out.push_str(&format!("  the statistics are incomplete: they cover {seen}\n"));
        }
        out
    }

    /// An answer to be shown, with the parts of the model that no answer covers.
    fn checked<'a>(&'a self, answer: &'a Answer) -> Checked<'a> {
        Checked { not_checked: self.results.not_checked_by(answer), ..checked(answer) }
    }

    /// The statements that a complete safety search has not executed: in short, or in full when asked for.
    fn never_executed(&self, args: &Check) -> String {
        let Results { model, answers, .. } = &self.results;
        let safety = answers.iter().find(|a| a.task.kind == Kind::Safety);
        let Some(answer) = safety.or(answers.first()) else { return String::new() };
        let complete = matches!(answer.outcome.end, End::Exhausted(_));
        let telling = complete && safety.is_some();
        if !telling && !args.showing.unreached {
            return String::new();
        }
        if super::json::unrecorded(answer) {
            let remark = "  statements that were never executed are not known: a GPU does not record them\n";
            return if args.showing.unreached { remark.to_string() } else { String::new() };
        }
        let mut missed = coverage::unreached(model, &answer.covered);
        let so_far = match (complete, answer.left_out) {
            (false, _) => " so far",
            (true, true) => " in the reduced search",
            (true, false) => "",
        };
        let certain = complete && !answer.left_out;
        let dead = if certain { coverage::dead(model, &answer.covered) } else { Vec::new() };
        if !args.showing.unreached {
            // Lines that the next line names need not be named twice.
            missed.retain(|missed| !dead.iter().any(|dead| dead.line == missed.line));
        }
        let dead: String = coverage::dead_summary(model, &dead).map(|dead| format!("  {dead}\n")).unwrap_or_default();
        let never = match coverage::summary(model, &missed) {
            None if args.showing.unreached => format!("  every statement was executed{so_far}\n"),
            None => String::new(),
            Some(_) if args.showing.unreached => {
                format!("  never executed{so_far}:\n{}", coverage::details(model, &missed))
            }
            Some(places) => format!("  never executed{so_far}: {places}\n"),
        };
        never + &dead
    }

    /// Where time and memory went.
    fn particulars(&self) -> String {
        let ms = |s: f64| number::duration(Duration::from_secs_f64(s));
        let json::Seconds { load, compile, search, .. } = self.results.seconds;
        let decisive = self.results.decisive();
        let Answer { outcome: Outcome { statistics, .. }, searched, values, .. } = decisive;
        let json::StateBits { packed, compact, words } = state_bits(searched, values.as_ref());
        let limit = self.results.limits.memory.map_or("none".to_string(), number::bytes);
        format!(
            "  load {} · prepare {} · search {}\n  longest state {} B · {packed} bits packed, {compact} compact, {words} in words\n  \
             store {} · queue {} · memory limit {limit}\n{}",
            ms(load),
            ms(compile),
            ms(search),
            statistics.state_bytes,
            number::bytes(statistics.store_bytes),
            number::bytes(statistics.search_bytes),
            symmetric::words(decisive.symmetry.as_ref()),
        )
    }

    /// The plan of each answer.
    fn plans(&self, request: &Request) -> String {
        let plan = |answer: &Answer| {
            let table = decision::table(&answer.decisions(request));
            let (name, ranks) = (visible(&answer.task.name), ranks_table(&answer.ranks));
            format!("  plan for {name}:\n{table}{ranks}")
        };
        self.results.answers.iter().map(plan).collect()
    }

    fn answer(&self, answer: &Answer, args: &Check, file: &Path) -> String {
        let (checked, trail) = (self.checked(answer), self.trail(answer));
        let look = Look { width: output::width(), full: args.showing.full };
        let alone = self.trails.iter().filter(|written| written.name().is_some()).count() == 1;
        match (&answer.verdict, answer.witness()) {
            (Verdict::Violated(violated), _) => {
                let run = Run::replayed(&answer.interpreter, violated.first.replayed());
                let names = run.names();
                let selection = explained(answer, violated.first.replayed(), &names);
                let mut out = checked.with_trace(violated, (&run, &names), look, &selection);
                out.push_str(&other_runs(answer, look));
                out.push_str(&trail.hint(file, alone));
                out
            }
            (_, Some(witness)) => {
                let run = Run::replayed(&answer.interpreter, witness);
                let mut out = checked.without_trace();
                out.push_str("\n  this shows it:\n\n");
                out.push_str(&trace(&run, &run.names(), look));
                out.push_str(&other_runs(answer, look));
                out.push_str(&trail.hint(file, alone));
                out
            }
            _ => checked.without_trace(),
        }
    }
}

/// The remarks on a counterexample, and the propositions of the property as columns.
fn explained(answer: &Answer, replayed: &Replayed, names: &Names) -> Selection {
    let mut interpreter = answer.interpreter.for_thread();
    let Task { kind, question, .. } = &answer.task;
    let explained = Explained { kind: *kind, question: question.as_ref(), replayed, names };
    explained.selection(Selection::default(), &mut interpreter)
}

/// An answer to be shown.
pub fn checked(answer: &Answer) -> Checked<'_> {
    Checked {
        model: &answer.task.model,
        property: answer.task.property(),
        verdict: &answer.verdict,
        statistics: &answer.outcome.statistics,
        order: answer.search.order,
        hash_function: answer.search.hash_function,
        elapsed: answer.elapsed,
        memory: kripke::memory::peak(),
        assertions: answer.search.assertions,
        end_states: answer.search.end_states,
        fairness: answer.fairness(),
        reductions: answer.reductions().map(|(_, words)| words).collect(),
        no_partial_order: answer.no_partial_order.filter(|why| *why != NO_REDUCTION),
        no_symmetry: answer.symmetry.as_ref().and_then(|s| s.as_ref().err()).map(|reasons| reasons.join("; ")),
        shortest: answer.shortest,
        audited: answer.audited,
        not_checked: Vec::new(),
        vacuity: answer.vacuity.as_ref().map(|why| visible(&why.to_string()).into_owned()),
    }
}

/// The runs of a CTL formula beside the first, and what no run shows.
fn other_runs(answer: &Answer, look: Look) -> String {
    match (&answer.tree, answer.wording()) {
        (Some(tree), Some(wording)) => tree.others(&answer.interpreter, look, &wording),
        _ => String::new(),
    }
}
