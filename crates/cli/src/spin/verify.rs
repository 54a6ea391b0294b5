//! Searches that are not step by step those of SPIN: cycles, claims, lossy stores, breadth-first order. Kripke's own checker
//! does them; the report is in SPIN's format.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kripke::answer::{Answer, Results};
use kripke::files::Disk;
use kripke::monitor::Monitor;
use kripke::request::{Errors, Fairness, Limits, Order, Questions, Reductions, Request, Search, Store, StoreKind};
use kripke::spin::search::{Counts, assertion};
use kripke::spin::{Numbered, Steps, lines, unreached};
use kripke_model::FindingKind;
use kripke_model::ir::PropertyKind;
use kripke_report::spin as report;
use kripke_report::verdict::{Counterexample, Verdict};
use kripke_search::ErrorKind;

use super::pan::{Chosen, Pan, hash_compact};
use crate::exit::{Failure, Status};
use crate::{output, signals};

/// Runs Kripke's checker.
pub fn run(pan: &Pan<'_>) -> Result<Status, Failure> {
    let start = Instant::now();
    if let (Chosen::Property { .. }, false) = (&pan.claim, pan.acceptance) {
        output::remark("warning: never claim + accept labels requires -a flag to fully verify\n");
    }
    let request = pan.request();
    let results = kripke::run::check(&pan.model.path, &request, &Disk, &Quiet(signals::interrupt()))?;
    let mut numbered = pan.model.load(Steps::Short)?;
    let found = results.answers.iter().find_map(|answer| Some((answer, pan.error(answer)?)));
    let counts = counts(&results, found.is_some());
    if let Some((answer, error)) = found {
        pan.show(&mut numbered, answer, error)?;
    }
    output::print(&pan.report(&counts, request.reductions.partial_order && !pan.options.has("NOREDUCE")).text());
    if (counts.done || pan.options.verbose) && pan.options.list_unreached {
        output::print(&report::unreached(&unreached(&numbered, &counts.executed)));
    }
    output::print(&report::elapsed(start.elapsed().as_secs_f64(), counts.stored));
    Ok(Status::Fine)
}

/// A monitor that only knows of signals.
struct Quiet(Arc<AtomicBool>);

impl Monitor for Quiet {
    fn interrupt(&self) -> Option<Arc<AtomicBool>> {
        Some(self.0.clone())
    }
}

/// The counts of all answers. A search for a property counts for the report; the edges of all count as executed.
fn counts(results: &Results, found: bool) -> Counts {
    let mut executed: Vec<Vec<bool>> = results.model.processes.iter().map(|p| vec![false; p.edges.len()]).collect();
    for answer in &results.answers {
        for (known, new) in executed.iter_mut().zip(&answer.covered) {
            known.iter_mut().zip(new).for_each(|(known, new)| *known |= new);
        }
    }
    let decisive = results.decisive();
    let last = results.answers.last().unwrap_or(decisive);
    let statistics = if found { &decisive.outcome.statistics } else { &last.outcome.statistics };
    Counts {
        stored: statistics.states,
        matched: (statistics.transitions + 1).saturating_sub(statistics.states),
        atomic: 0,
        depth: statistics.depth,
        errors: u64::from(found),
        bytes: statistics.state_bytes as usize,
        done: !found && results.answers.iter().all(|a| matches!(a.verdict, Verdict::Holds(_) | Verdict::Violated(_))),
        executed,
    }
}

impl Pan<'_> {
    fn request(&self) -> Request {
        let options = self.options;
        let raw = options.has("NOREDUCE");
        let bitstate = options.has("BITSTATE");
        let kind = match hash_compact(options) {
            _ if bitstate => StoreKind::named("bitstate"),
            Some(_) => StoreKind::named("hash"),
            None => None,
        };
        let bits = bitstate.then_some(options.table.clamp(10, 60) as u8);
        let breadth = options.has("BFS") || options.has("BFS_PAR");
        let order = if breadth { Order::BreadthFirst } else { Order::DepthFirst };
        let ends = options.end_states && !self.claim.is_checked() && !self.acceptance && !self.non_progress();
        Request {
            source: self.model.source.clone(),
            questions: self.questions(),
            errors: Errors {
                assertions: options.assertions,
                end_states: ends,
                all: options.upto == 0 && !options.every,
            },
            reductions: Reductions {
                raw,
                merging: false,
                dead_variables: false,
                slicing: false,
                partial_order: !raw,
                ..Reductions::default()
            },
            search: Search {
                order: Some(order),
                store: Store { kind, bits, hashes: options.bits, ..Store::default() },
                ..Search::default()
            },
            limits: Limits {
                timeout: options.minutes.map(|m| Duration::from_secs(60 * m)),
                memory: options.memory(),
                ..Limits::default()
            },
            coverage: true,
            ..Request::default()
        }
    }

    fn questions(&self) -> Questions {
        let mut questions = Questions {
            // A search for cycles or with a claim finds failed assertions, too.
            safety: !self.claim.is_checked() && !self.acceptance && !self.non_progress(),
            acceptance: self.acceptance && !self.claim.is_checked(),
            non_progress: self.non_progress(),
            ignore_claims: !self.claim.is_checked(),
            fairness: if self.options.fair { Fairness::Weak } else { Fairness::default() },
            ..Questions::default()
        };
        match &self.claim {
            Chosen::Property { name, .. } => questions.properties = vec![name.clone()],
            Chosen::Forbidden(formula) => questions.ltl = vec![format!("!({formula})")],
            _ => {}
        }
        questions
    }

    /// The counterexample of an answer, if SPIN counts it as an error. Without `-a`, cycles are none.
    fn error<'r>(&self, answer: &'r Answer) -> Option<&'r Counterexample> {
        let Verdict::Violated(violated) = &answer.verdict else { return None };
        let cycles = self.acceptance || self.non_progress();
        Some(&violated.first).filter(|found| cycles || *found.error() != ErrorKind::Cycle)
    }

    /// Prints an error and writes its trail.
    fn show(&self, numbered: &mut Numbered, answer: &Answer, found: &Counterexample) -> Result<(), Failure> {
        let replayed = found.replayed();
        let trail = lines(numbered, &answer.interpreter, replayed.moves(), replayed.cycle());
        let trail = trail.map_err(|why| Failure::Bug(format!("the trail can't be written: {why}")))?;
        let steps = trail.cycle.unwrap_or(trail.lines.len().saturating_sub(1));
        output::print(&format!("pan:1: {} (at depth {steps})\n", self.message(numbered, found)));
        self.write(&trail, 0);
        Ok(())
    }

    fn message(&self, numbered: &Numbered, found: &Counterexample) -> String {
        match (found.error(), &self.claim) {
            (ErrorKind::Cycle, _) if self.non_progress() => "non-progress cycle".to_string(),
            (ErrorKind::Cycle, _) => "acceptance cycle".to_string(),
            (ErrorKind::BadPrefix | ErrorKind::Goal, Chosen::Property { kind: PropertyKind::Ltl, name }) => {
                let properties = &numbered.interpreter.model().properties;
                let formula = properties.iter().find(|p| p.name == *name).map_or("", |p| &p.text);
                format!("assertion violated  !({formula})")
            }
            (ErrorKind::BadPrefix | ErrorKind::Goal, _) => "end state in claim reached".to_string(),
            (ErrorKind::InvalidEnd, _) => "invalid end state".to_string(),
            (ErrorKind::Finding(finding), _) => match &finding.kind {
                FindingKind::Assertion => {
                    let edge = numbered.state(finding.process, finding.edge);
                    let body = numbered.body(finding.process);
                    let state = edge.zip(body).and_then(|(state, body)| body.states.get(state as usize));
                    let text = state.map_or("", |state| &state.text);
                    assertion(text, numbered.interpreter.model())
                }
                FindingKind::Fault(fault) => fault.to_string(),
                FindingKind::EndlessSequence => "an atomic sequence does not end".to_string(),
            },
            (ErrorKind::Refuted, _) => "claim violated".to_string(),
        }
    }
}
