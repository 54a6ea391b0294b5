//! Breadth-first search with an [`Accelerator`]: the machine stores all states and expands most of them, the workers here expand the rest.

mod owcty;

use std::collections::BTreeMap;

use kripke_model::{Batch, Choice, Successors};

use super::error_collector::{ErrorCollector, Findings, LevelFindings};
use super::trail::{self, Origin, PartialTrail, Wanted};
use super::{Cycles, Factory, Fairness, Options, StoreKind, max_depth};
use crate::accelerator::{Accelerator, AcceleratorFailure, Bounds, EndStates, Expanded};
use crate::budget::{Budget, Limit};
use crate::outcome::{End, Errors, Exhausted, Outcome, Statistics, Violation};
use crate::progress::{Progress, Snapshot};
use crate::store::{StateId, spawn};

/// States that one worker expands before others help.
const SHARE: usize = 1 << 10;

/// Explores with a machine that stores and expands states: breadth-first, for errors in states and transitions, and then for accepting
/// cycles if the options ask for them. Verdict and counts are those of [`explore`](super::explore()) without partial-order reduction; so are
/// errors unless the question is about cycles. Trails are as short, and the same ones where the machine does not
/// [trace](Accelerator::trace) them. Limits are observed between levels, and not between those that the machine expands by
/// itself, except for a limit of depth.
///
/// # Panics
/// If the options demand another search: for a CTL formula, for fair cycles, for cycles with several acceptance marks, for all cycles. If
/// states have no form in words.
pub fn explore_accelerated(
    machine: &mut dyn Accelerator,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    assert!(suits(options), "a machine searches for errors in states and transitions, and for one accepting cycle");
    let workers = (0..options.workers()).map(|_| Worker::new(successors(), options)).collect();
    let mut search = Search::new(machine, workers, budget, progress, ends_of(options));
    let (mut findings, mut cycle) = (Findings::new(), None);
    let stop = loop {
        let mut stop = search.run(max_depth(budget), &mut |level, depth| {
            findings.collect(level, || depth);
            is_enough(&findings, options)
        });
        if options.cycles.is_some() && stop.is_ok() && !is_enough(&findings, options) {
            stop = search.state_on_cycle().map(|found| cycle = found);
        }
        if !matches!(stop, Err(Limit::DeviceMemory(_))) || !search.grows() {
            break stop;
        }
        // The search begins again.
        findings = Findings::new();
        search.ends = ends_of(options);
        search.workers.iter_mut().for_each(|worker| worker.errors = ErrorCollector::new(options));
    };
    findings.errors.cycles = u64::from(cycle.is_some());
    let (counts, bytes) = (search.counts, search.machine.bytes());
    let end = if cycle.is_some() { End::Violation } else { conclude(stop, &mut findings, options) };
    let statistics = Statistics {
        states: counts.states,
        transitions: counts.transitions,
        depth: counts.depth,
        errors: findings.errors,
        store: StoreKind::Words,
        state_bytes: search.workers[0].state_bytes,
        store_bytes: bytes,
        ..Statistics::default()
    };
    let (violations, limit) = match cycle {
        Some(state) => search.lasso(&state).map_or_else(|limit| (Vec::new(), Some(limit)), |lasso| (vec![lasso], None)),
        None => {
            let trails = findings.kept.into_iter().map(|(found, depth)| PartialTrail::new(found, depth)).collect();
            search.trails(trails)
        }
    };
    let end = match limit {
        Some(limit) if violations.is_empty() => End::Stopped(limit),
        _ => end,
    };
    Outcome::new(end, violations, statistics)
}

/// Extends a trail by a predecessor, which the machine must have found.
fn step_back(trail: &mut PartialTrail, origins: &BTreeMap<Vec<u8>, Origin>) -> Result<(), Limit> {
    match trail.step_to_origin(origins) {
        true => Ok(()),
        false => {
            let what = "the device gives no predecessor of a state that it has found";
            Err(AcceleratorFailure::Lost(what.to_string()).into())
        }
    }
}

/// Whether a machine can search for what the options ask for.
fn suits(options: &Options) -> bool {
    let cycles = |cycles: Cycles| cycles.marks == 0 && cycles.fairness == Fairness::None && !options.all_errors;
    options.ctl.is_none() && options.cycles.is_none_or(cycles)
}

/// Whether the search stops because of these findings.
fn is_enough(findings: &Findings<u32>, options: &Options) -> bool {
    findings.suffice(options) || !options.all_errors && findings.endless.is_some()
}

/// The end of a search, given why it stopped. A search that was not stopped has expanded every state.
fn conclude(stop: Result<(), Limit>, findings: &mut Findings<u32>, options: &Options) -> End {
    if findings.suffice(options) {
        if !options.all_errors {
            findings.keep_first();
        }
        return End::Violation;
    }
    match (stop, findings.endless.take()) {
        (Err(limit), _) => End::Stopped(limit),
        (Ok(()), Some(finding)) => End::Stopped(Limit::EndlessSequence(finding)),
        (Ok(()), None) => End::Exhausted(Exhausted::new(findings.errors)),
    }
}

/// What is done with invalid end states at the beginning of a search.
fn ends_of(options: &Options) -> Ends {
    match (options.end_states, options.all_errors && options.stop_at.is_none()) {
        (false, _) => Ends::Ignored,
        (true, true) => Ends::LeftUntilFound,
        (true, false) => Ends::Left,
    }
}

/// What is done with invalid end states.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// They are no errors.
    Ignored,
    /// All are left.
    Left,
    /// Those of the first level that has some are left: the least of them is reported. Then they are counted.
    LeftUntilFound,
    Counted,
}

impl Ends {
    fn of_machine(self) -> EndStates {
        match self {
            Ends::Ignored | Ends::Counted => EndStates::Count,
            Ends::Left | Ends::LeftUntilFound => EndStates::Leave,
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    states: u64,
    transitions: u64,
    /// The depth of the last level that was expanded.
    depth: u64,
}

struct Search<'a, 'm> {
    machine: &'a mut dyn Accelerator,
    workers: Vec<Worker<'m>>,
    budget: &'a Budget,
    progress: &'a Progress,
    counts: Counts,
    /// The state from which the machine searches: the initial one, except for the way around a cycle.
    start: Vec<u8>,
    ends: Ends,
    /// Invalid end states that the machine has counted since findings were taken.
    counted_ends: u64,
}

/// A worker that expands states which the machine has left.
struct Worker<'m> {
    successors: Box<dyn Successors + 'm>,
    errors: ErrorCollector,
    batch: Batch,
    /// The accepting ones of the states that were expanded last, in a search for cycles.
    accepting: Batch,
    searches_cycles: bool,
    state_bytes: u64,
}

impl<'m> Worker<'m> {
    fn new(successors: Box<dyn Successors + 'm>, options: &Options) -> Worker<'m> {
        let (batch, accepting) = (Batch::new(), Batch::new());
        let searches_cycles = options.cycles.is_some();
        Worker { successors, errors: ErrorCollector::new(options), batch, accepting, searches_cycles, state_bytes: 0 }
    }

    /// Expands some states of a batch.
    fn expand(&mut self, states: &Batch, range: std::ops::Range<usize>) {
        self.batch.clear();
        self.accepting.clear();
        for at in range {
            let (state, found) = (states.state(at), self.batch.findings().len());
            let flags = self.successors.expand(state, Choice::All, &mut self.batch);
            if flags.accepting && self.searches_cycles {
                self.accepting.push(state);
            }
            let findings = &self.batch.findings()[found..];
            self.errors.inspect((StateId::NONE, state), flags, findings, || self.successors.decode(state));
        }
    }
}

impl<'a, 'm> Search<'a, 'm> {
    fn new(
        machine: &'a mut dyn Accelerator,
        mut workers: Vec<Worker<'m>>,
        budget: &'a Budget,
        progress: &'a Progress,
        ends: Ends,
    ) -> Search<'a, 'm> {
        let mut initial = Batch::new();
        workers[0].successors.initial(&mut initial);
        assert_eq!(initial.len(), 1, "a model has one initial state");
        assert!(workers[0].successors.word_bits().is_some(), "states have a form in words");
        workers[0].state_bytes = initial.bytes() as u64;
        let start = initial.state(0).to_vec();
        Search { machine, workers, budget, progress, counts: Counts::default(), start, ends, counted_ends: 0 }
    }

    /// Whether the machine has more memory, and has taken it.
    fn grows(&mut self) -> bool {
        self.machine.grow() == Ok(true)
    }

    /// Searches up to this depth. `ended` takes the findings of each level with its depth, and decides whether they are enough.
    fn run(&mut self, max_depth: u32, ended: &mut dyn FnMut(Vec<LevelFindings>, u32) -> bool) -> Result<(), Limit> {
        self.machine.begin(&self.start)?;
        self.counts = Counts { states: 1, ..Counts::default() };
        let mut next = 0;
        loop {
            let (depth, new) = self.expand_levels(next, max_depth)?;
            next = depth + 1;
            if ended(self.take_findings(), depth) || new == 0 {
                return Ok(());
            }
            self.budget.check(0)?;
            if let Some(most) = self.budget.max_states.filter(|most| self.counts.states > *most) {
                return Err(Limit::States(most));
            }
            if depth == max_depth {
                return Err(Limit::Depth(max_depth));
            }
        }
    }

    /// The findings of the levels that were expanded last.
    fn take_findings(&mut self) -> Vec<LevelFindings> {
        let found = self.workers.iter_mut().filter_map(|worker| worker.errors.take_findings());
        let mut findings: Vec<LevelFindings> = found.collect();
        if self.ends == Ends::LeftUntilFound && findings.iter().any(LevelFindings::has_invalid_end) {
            self.ends = Ends::Counted;
        }
        let invalid_ends = std::mem::take(&mut self.counted_ends);
        if self.ends == Ends::Counted && invalid_ends > 0 {
            findings.push(LevelFindings::counted(Errors { invalid_ends, ..Errors::default() }, None));
        }
        findings
    }

    /// Expands the last level, which is at this depth, and others if the machine goes on by itself, up to another depth. Returns the depth of
    /// the last one that was expanded, and the number of states of the next one.
    fn expand_levels(&mut self, depth: u32, max_depth: u32) -> Result<(u32, u64), Limit> {
        let states = self.budget.max_states.map_or(u64::MAX, |most| most.saturating_sub(self.counts.states));
        let bounds = Bounds { levels: (max_depth - depth).saturating_add(1), states, ends: self.ends.of_machine() };
        let Expanded { transitions, invalid_ends, further } = self.machine.expand_levels(bounds)?;
        self.counted_ends += invalid_ends;
        let depth = depth + further.len() as u32;
        self.counts.depth = u64::from(depth);
        self.counts.states += further.iter().sum::<u64>();
        self.counts.transitions += transitions;
        self.expand_left()?;
        let new = self.machine.end_level()?;
        self.counts.states += new;
        self.report(new);
        Ok((depth, new))
    }

    /// Expands the states of the level that the machine has left.
    fn expand_left(&mut self) -> Result<(), Limit> {
        let mut left = Batch::new();
        loop {
            left.clear();
            self.machine.take_left(&mut left)?;
            if left.is_empty() {
                return Ok(());
            }
            let used = self.share(&left, &|worker, range| worker.expand(&left, range));
            for worker in &self.workers[..used] {
                self.counts.transitions += worker.batch.len() as u64;
                self.machine.add(&worker.batch)?;
                if !worker.accepting.is_empty() {
                    self.machine.accept(&worker.accepting)?;
                }
            }
            self.budget.check(0)?;
        }
    }

    /// Divides states among the workers, and returns the number of workers that had some.
    fn share(&mut self, states: &Batch, work: &(dyn Fn(&mut Worker<'_>, std::ops::Range<usize>) + Sync)) -> usize {
        let share = states.len().div_ceil(self.workers.len()).max(SHARE);
        let used = states.len().div_ceil(share);
        let range = |number: usize| number * share..states.len().min((number + 1) * share);
        let (first, others) = self.workers[..used].split_at_mut(1);
        std::thread::scope(|scope| {
            for (number, worker) in others.iter_mut().enumerate() {
                spawn(scope, move || work(worker, range(number + 1)));
            }
            work(&mut first[0], range(0));
        });
        used
    }

    fn report(&self, open: u64) {
        let Counts { states, transitions, depth } = self.counts;
        self.progress.set(Snapshot { states, transitions, depth, queue: open, bytes: self.machine.bytes() });
    }

    /// The violations whose trails reach the initial state, and the limit that kept others from it.
    fn trails(&mut self, mut trails: Vec<PartialTrail>) -> (Vec<Violation>, Option<Limit>) {
        let mut limit = None;
        while limit.is_none() && trail::deepest(&trails) > 0 {
            limit = self.extend(&mut trails).err();
        }
        (trails.into_iter().filter(PartialTrail::is_done).map(PartialTrail::finish).collect(), limit)
    }

    /// Extends the longest trails by one step, or a single one by several. If the machine no longer knows the level before, it searches again, up
    /// to that level.
    fn extend(&mut self, trails: &mut [PartialTrail]) -> Result<(), Limit> {
        let depth = trail::deepest(trails) as u32;
        let mut states = Batch::new();
        let mut here: Vec<&mut PartialTrail> = trails.iter_mut().filter(|trail| trail.is_at(depth)).collect();
        if let [trail] = &mut here[..]
            && self.trace(depth, trail)?
        {
            return Ok(());
        }
        let wanted = Wanted::new(here.iter().map(|trail| trail.state()));
        wanted.states().for_each(|state| states.push(state));
        let mut candidates = Batch::new();
        if !self.machine.origins(depth - 1, &states, &mut candidates)? {
            self.search_again(depth - 1)?;
            candidates.clear();
            if !self.machine.origins(depth - 1, &states, &mut candidates)? {
                return Err(AcceleratorFailure::Full(self.machine.bytes()).into());
            }
        }
        let origins = trail::origins(&wanted, &mut *self.workers[0].successors, candidates.states());
        here.iter_mut().try_for_each(|trail| step_back(trail, &origins))
    }

    /// Extends a trail by the states that the machine finds before it. False if there are none.
    fn trace(&mut self, depth: u32, trail: &mut PartialTrail) -> Result<bool, Limit> {
        let mut before = Batch::new();
        self.machine.trace(depth, trail.state(), &mut before)?;
        for state in before.states() {
            let end = trail.state().to_vec();
            let wanted = Wanted::new(std::iter::once(&end[..]));
            let origins = trail::origins(&wanted, &mut *self.workers[0].successors, std::iter::once(state));
            step_back(trail, &origins)?;
        }
        Ok(!before.is_empty())
    }

    /// Searches up to the level at this depth, which is the last one that the machine then knows.
    fn search_again(&mut self, depth: u32) -> Result<(), Limit> {
        let counts = self.counts;
        let stop =
            if depth == 0 { Ok(self.machine.begin(&self.start)?) } else { self.run(depth - 1, &mut |_, _| false) };
        self.counts = counts;
        match stop {
            Ok(()) | Err(Limit::Depth(_)) => Ok(()),
            Err(limit) => Err(limit),
        }
    }
}
