//! Searches that are not step by step those of SPIN: cycles, claims, lossy stores, breadth-first order. Kripke's own checker
//! does them; the report is in SPIN's format.

use std::num::NonZeroU64;
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
use kripke_search::{End, ErrorKind, Limit};

use super::pan::{Chosen, Pan, hash_compact};
use crate::exit::{Failure, Status};
use crate::{output, signals};

/// Runs Kripke's checker.
pub fn run(pan: &Pan<'_>) -> Result<Status, Failure> {
    let start = Instant::now();
    if matches!(pan.claim, Chosen::Property { .. }) && pan.accepting && !pan.acceptance {
        output::remark("warning: never claim + accept labels requires -a flag to fully verify\n");
    }
    let request = pan.request();
    let results = kripke::run::check(&pan.model.path, &request, &Disk, &Quiet(signals::interrupt()))?;
    let mut numbered = pan.model.load(Steps::Short)?;
    let found: Vec<(&Answer, &Counterexample)> = results.answers.iter().flat_map(|answer| pan.errors(answer)).collect();
    let mut counts = counts(&results, pan.count(&results, found.len() as u64));
    // SPIN stops at the last error that is asked for.
    counts.done &= pan.options.upto == 0 || counts.errors < pan.options.upto;
    pan.show_all(&mut numbered, &found)?;
    output::print(&pan.report(&counts, request.reductions.partial_order && !pan.options.has("NOREDUCE")).text());
    if (counts.done || pan.options.verbose) && pan.options.list_unreached {
        output::print(&report::unreached(&unreached(&numbered, &counts)));
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
fn counts(results: &Results, errors: u64) -> Counts {
    let found = errors > 0;
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
        errors,
        bytes: statistics.state_bytes as usize,
        done: results.answers.iter().all(|answer| is_done(&answer.outcome.end)),
        executed,
        events: Vec::new(),
    }
}

/// Whether a search came to its end. A lossy store may have missed states, as it may in SPIN.
fn is_done(end: &End) -> bool {
    matches!(end, End::Exhausted(_) | End::Decided(_) | End::Stopped(Limit::LossyStore))
}

impl Pan<'_> {
    fn request(&self) -> Request {
        let options = self.options;
        let raw = options.has("NOREDUCE");
        // Searches with a claim and for cycles are depth-first and keep every state: the verdict is the same.
        let simple = !self.claim.is_checked() && !self.finds_cycles();
        let order = if simple && options.is_breadth_first() { Order::BreadthFirst } else { Order::DepthFirst };
        // A cycle that is no error does not end the search.
        let all = options.upto != 1 || self.ignores_cycles();
        Request {
            source: self.model.source.clone(),
            questions: self.questions(),
            errors: Errors {
                assertions: options.assertions,
                end_states: options.end_states && simple,
                all,
                stop_at: NonZeroU64::new(options.upto).filter(|_| !self.ignores_cycles()),
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
                store: if simple { self.store() } else { Store::default() },
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

    fn store(&self) -> Store {
        let options = self.options;
        if options.has("BITSTATE") {
            let bits = Some(options.table().clamp(10, 60) as u8);
            return Store { kind: StoreKind::named("bitstate"), bits, hashes: options.bits, ..Store::default() };
        }
        Store { kind: hash_compact(options).and_then(|_| StoreKind::named("hash")), ..Store::default() }
    }

    fn ignores_cycles(&self) -> bool {
        self.claim.is_checked() && !self.finds_cycles()
    }

    fn questions(&self) -> Questions {
        let mut questions = Questions {
            // A search for cycles or with a claim finds failed assertions, too.
            safety: !self.claim.is_checked() && !self.finds_cycles(),
            acceptance: self.acceptance && !self.claim.is_checked(),
            non_progress: self.non_progress(),
            ignore_claims: !self.claim.is_checked(),
            fairness: if self.options.fair && self.finds_cycles() { Fairness::Weak } else { Fairness::default() },
            ..Questions::default()
        };
        match &self.claim {
            Chosen::Property { name, .. } => questions.properties = vec![name.clone()],
            Chosen::Forbidden(formula) => questions.ltl = vec![format!("!({formula})")],
            _ => {}
        }
        questions
    }

    /// The counterexamples of an answer that SPIN counts as errors. Without `-a`, cycles are none.
    fn errors<'r>(&self, answer: &'r Answer) -> Vec<(&'r Answer, &'r Counterexample)> {
        let Verdict::Violated(violated) = &answer.verdict else { return Vec::new() };
        let cycles = self.finds_cycles();
        let all = std::iter::once(&violated.first).chain(&violated.others);
        all.filter(|found| cycles || *found.error() != ErrorKind::Cycle).map(|found| (answer, found)).collect()
    }

    /// The number of errors. Kripke keeps one counterexample for each place, and counts all.
    fn count(&self, results: &Results, kept: u64) -> u64 {
        if kept == 0 || self.options.upto == 1 {
            return kept.min(1);
        }
        let cycles = self.finds_cycles();
        let errors = results.answers.iter().map(|answer| answer.outcome.statistics.errors);
        let total: u64 = errors.map(|errors| errors.total() - if cycles { 0 } else { errors.cycles }).sum();
        let most = if self.options.upto == 0 { u64::MAX } else { self.options.upto };
        total.max(kept).min(most)
    }

    /// Prints the errors. With `-e` each has a trail with a number, otherwise the last one has one, unless all are counted.
    fn show_all(&self, numbered: &mut Numbered, found: &[(&Answer, &Counterexample)]) -> Result<(), Failure> {
        let shown = if self.options.upto == 1 { 1 } else { found.len() };
        for (i, (answer, error)) in found.iter().take(shown).enumerate() {
            let number = i as u64 + 1;
            let trail = match self.options.every {
                true => Some(number),
                false => (self.options.upto != 0 && i + 1 == shown).then_some(0),
            };
            self.show(numbered, answer, error, (number, trail))?;
        }
        Ok(())
    }

    /// Prints an error with its number, and writes its trail if that has a number, too.
    fn show(
        &self,
        numbered: &mut Numbered,
        answer: &Answer,
        found: &Counterexample,
        (number, written): (u64, Option<u64>),
    ) -> Result<(), Failure> {
        let replayed = found.replayed();
        let trail = lines(numbered, &answer.interpreter, replayed.moves(), replayed.cycle());
        let trail = trail.map_err(|why| Failure::Bug(format!("the trail can't be written: {why}")))?;
        let steps = trail.cycle.unwrap_or(trail.lines.len().saturating_sub(1));
        output::print(&format!("pan:{number}: {} (at depth {steps})\n", self.message(numbered, found)));
        if let Some(written) = written {
            self.write(&trail, written);
        }
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
