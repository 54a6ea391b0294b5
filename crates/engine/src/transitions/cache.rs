//! Expansion of states of `N` words from the table of transitions.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use kripke_model::{Interpreter, Parts};

use super::codes::Codes;
use super::output::{Out, OutOfSteps, Output, StepPair, Watch, is_watched, padded, words};
use super::results::{Learned, Moves, Results, Special};
use super::select::{self, ByShifts, SelectBits};
use super::sites::{Group, JointRow, Shape, Site, groups};
use super::sleep::{SharedSteps, Step, Worth};
use super::source::Source;
use super::table::{About, Table};
use super::{OfWidth, Task};

/// States of a batch after which it is large.
const MANY_STATES: usize = 1 << 12;

/// A cache for states of `N` words.
#[derive(Debug)]
pub(super) struct Cache<const N: usize> {
    table: Table<N>,
    shapes: HashMap<usize, Arc<Shape<N>>>,
    /// The shape of the state expanded last, and its number.
    current: Option<(usize, Arc<Shape<N>>)>,
    /// The joint row of each group for all values of the bits that tell the locations of its processes.
    joint: Vec<JointRow>,
    /// The processes from whose moves atomic sequences go on in the state that is expanded, by position, and their rows.
    inner: Vec<(usize, usize)>,
    /// Whether groups are expanded jointly. It is given up if that fails too often: so many of so many groups since the last judgement.
    joins: bool,
    apart: u32,
    tried: u32,
    /// Whether fields keep their places from one shape to another.
    kept: HashMap<(usize, usize), bool>,
    fast: bool,
    /// Whether sleep sets pay.
    sleeping: Worth,
    pairs: Vec<StepPair>,
}

/// After so many groups it is judged whether groups are expanded jointly.
const JUDGED: u32 = 1 << 14;

impl<const N: usize> Cache<N> {
    pub fn new(steps: SharedSteps) -> Cache<N> {
        #[cfg(target_arch = "x86_64")]
        let fast = crate::words::selects_bits_fast();
        #[cfg(not(target_arch = "x86_64"))]
        let fast = false;
        Cache {
            table: Table::new(steps),
            shapes: HashMap::new(),
            current: None,
            joint: Vec::new(),
            inner: Vec::new(),
            joins: true,
            apart: 0,
            tried: 0,
            kept: HashMap::new(),
            fast,
            sleeping: Worth::default(),
            pairs: Vec::new(),
        }
    }

    fn shape(&mut self, tag: usize, source: &mut Source) -> Arc<Shape<N>> {
        let Cache { table, shapes, joint, .. } = self;
        let new = || {
            let sites = source.sites(tag, table);
            let groups = groups(&sites, joint);
            let joins = sites.len() >= 3 * groups.len();
            Arc::new(Shape { sites, groups, joins })
        };
        shapes.entry(tag).or_insert_with(new).clone()
    }

    #[inline(always)]
    fn run<S: SelectBits>(&mut self, task: &mut Task<'_, '_>, watch: &mut impl Watch) -> usize {
        let sleeps = !is_watched(watch) && !task.arrivals.is_empty() && !self.sleeping.is_given_up();
        let (bytes, batch_ends, arrivals) = task.out.parts_with_arrivals();
        let (start, before) = (bytes.len(), batch_ends.len());
        let (mut written, mut expanded) = (0, 0);
        let mut left_out = 0;
        if sleeps {
            self.table.results.steps.know(task.arrivals);
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        let tag_mask = (1u64 << task.source.words.layout().tag_bits()) - 1;
        let mut current = self.current.take();
        for (i, state) in task.states.iter().enumerate() {
            if before + written > MANY_STATES {
                break;
            }
            let words = words::<N>(state);
            let tag = (words[0] & tag_mask) as usize;
            let (_, shape) = match &mut current {
                Some(current) if current.0 == tag => current,
                other => other.insert((tag, self.shape(tag, task.source))),
            };
            let from = (&mut *task.source, &mut *task.interpreter);
            let out = if sleeps {
                let out = OutOfSteps::new(bytes, &mut pairs, shape.sites.len(), task.arrivals[i]);
                self.expand::<S, _>(&words, (tag, shape), out, from, &mut ()).map(|with| with.out)
            } else {
                self.expand::<S, _>(&words, (tag, shape), Out::new(bytes, shape.sites.len()), from, watch)
            };
            let Some(out) = out else {
                task.left = true;
                break;
            };
            // The interpreter says why there are none.
            if out.count() == 0 {
                break;
            }
            // SAFETY: memory for so many successors was reserved, and everything up to there was written.
            unsafe {
                bytes.set_len(out.len(bytes));
                pairs.set_len(if sleeps { written + out.count() } else { 0 });
            }
            (written, expanded) = (written + out.count(), expanded + 1);
            task.ends.push(before + written);
        }
        self.current = current;
        if self.tried >= JUDGED {
            self.joins = self.apart < JUDGED / 8;
            (self.apart, self.tried) = (0, 0);
        }
        if sleeps {
            let last = task.ends.len() - expanded;
            let steps = &mut self.table.results.steps;
            let awake = steps.leave_out(&pairs, (bytes, start), (arrivals, before), &mut task.ends[last..]);
            pairs.clear();
            self.sleeping.judge(awake as u64, (written - awake) as u64);
            (written, left_out) = (awake, written - awake);
        }
        self.pairs = pairs;
        let width = size_of::<[u64; N]>();
        batch_ends.extend((1..=written).map(|n| (start + n * width) as u32));
        task.out.leave_out(left_out as u64);
        expanded
    }

    /// Gives the successors of a state. Nothing if the state is left to others.
    #[inline(always)]
    fn expand<S: SelectBits, O: Output<N>>(
        &mut self,
        state: &[u64; N],
        (tag, shape): (usize, &Shape<N>),
        mut out: O,
        mut from: (&mut Source, &mut Interpreter),
        watch: &mut impl Watch,
    ) -> Option<O> {
        let mut has_inner = false;
        self.inner.clear();
        if !is_watched(watch) && self.joins && shape.joins {
            self.tried += shape.groups.len() as u32;
            for group in &shape.groups {
                let sites = &shape.sites[group.sites.clone()];
                if self.expand_group::<S>(state, tag, (group, sites), &mut from, &mut out) {
                    continue;
                }
                self.apart += 1;
                for site in sites {
                    has_inner |= self.expand_site::<S>((state, tag), site, &mut from, &mut out)?;
                }
            }
        } else {
            for site in &shape.sites {
                watch.stands(site, site.row(state));
                has_inner |= self.expand_site::<S>((state, tag), site, &mut from, &mut out)?;
                watch.moves(site, || out.count());
            }
        }
        if has_inner {
            self.expand_inner::<S>(state, shape, &mut out, watch)?;
        }
        Some(out)
    }

    /// Appends the moves that atomic sequences lead to.
    #[inline(always)]
    fn expand_inner<S: SelectBits>(
        &self,
        state: &[u64; N],
        shape: &Shape<N>,
        out: &mut impl Output<N>,
        watch: &mut impl Watch,
    ) -> Option<()> {
        let results = &self.table.results;
        for (site, row) in self.inner.iter().map(|(site, row)| (&shape.sites[*site], *row)) {
            if out.is_full() {
                return None;
            }
            let (_, moves) = self.table.look::<S>(row, state);
            if let Some(special) = results.special(moves) {
                append_special(state, special, special.direct..special.count, results, out);
            }
            watch.moves(site, || out.count());
        }
        Some(())
    }

    /// Appends the moves of all processes of a group. False if it has to be done for each process.
    #[inline(always)]
    fn expand_group<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        tag: usize,
        (group, sites): (&Group<N>, &[Site]),
        from: &mut (&mut Source, &mut Interpreter),
        out: &mut impl Output<N>,
    ) -> bool {
        let place = group.first + group.locations.select::<S>(state) as usize;
        let mut row = self.joint[place];
        if row == JointRow::UNKNOWN {
            row = self.describe_joint::<S>(state, tag, sites, from);
            self.joint[place] = row;
        }
        if row == JointRow::APART {
            return false;
        }
        loop {
            let (_, moves) = self.table.look::<S>(row.0 as usize, state);
            if moves.are_plain() {
                out.append(state, (moves.number(), moves.count()), &self.table.results.steps);
            } else if moves == Moves::UNKNOWN {
                self.learn_joint::<S>(state, tag, (row, sites), from);
                continue;
            } else {
                return false;
            }
            return true;
        }
    }

    /// The row for the moves of all processes of a group at their locations in this state.
    #[cold]
    #[inline(never)]
    fn describe_joint<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        tag: usize,
        sites: &[Site],
        (source, interpreter): &mut (&mut Source, &mut Interpreter),
    ) -> JointRow {
        let mut rows = Vec::new();
        for site in sites {
            let row = site.row(state);
            if self.table.is_fresh(row) {
                self.learn::<S>(state, (tag, row), site, (&mut **source, &mut **interpreter));
            }
            rows.extend(self.table.chain(row));
        }
        self.table.add_joint(&rows).map_or(JointRow::APART, |row| JointRow(row as u32))
    }

    /// Makes the result of a joint row from those of each process.
    #[cold]
    #[inline(never)]
    fn learn_joint<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        tag: usize,
        (joint, sites): (JointRow, &[Site]),
        from: &mut (&mut Source, &mut Interpreter),
    ) {
        let (mut all, mut own, inner) = (Some(Vec::new()), Vec::new(), self.inner.len());
        for site in sites {
            let is_known = self.expand_site::<S>((state, tag), site, from, &mut Out::new(&mut own, 1)) == Some(false);
            all = all.filter(|_| is_known).and_then(|all| self.with_steps::<S>(state, site.row(state), all));
        }
        self.inner.truncate(inner);
        // The row of a process alone is its own joint row.
        if self.table.look::<S>(joint.0 as usize, state).1 == Moves::UNKNOWN {
            let learned = all.map_or(Learned::Apart, |all| Learned::Moves(all, 0));
            self.table.learn::<S>(joint.0 as usize, state, learned);
        }
    }

    /// Adds the steps of a row and the next ones. Nothing if some are special, or not known.
    fn with_steps<S: SelectBits>(&self, state: &[u64; N], row: usize, mut all: Vec<Step<N>>) -> Option<Vec<Step<N>>> {
        for row in self.table.chain(row) {
            let (_, moves) = self.table.look::<S>(row, state);
            let steps = moves.number()..moves.number() + moves.count() as u32;
            if !moves.are_plain() {
                return None;
            }
            all.extend(steps.map(|step| *self.table.results.steps.get(step)));
        }
        Some(all)
    }

    /// Appends the moves of a process that no atomic sequence leads to. Returns whether there are others. Nothing if they are left out.
    #[inline(always)]
    fn expand_site<S: SelectBits>(
        &mut self,
        (state, tag): (&[u64; N], usize),
        site: &Site,
        from: &mut (&mut Source, &mut Interpreter),
        out: &mut impl Output<N>,
    ) -> Option<bool> {
        let (mut row, mut has_inner) = (site.row(state), false);
        loop {
            let (last, moves) = self.table.look::<S>(row, state);
            row = last;
            if moves.are_plain() {
                out.append(state, (moves.number(), moves.count()), &self.table.results.steps);
            } else if moves == Moves::UNKNOWN {
                self.learn::<S>(state, (tag, row), site, (&mut *from.0, &mut *from.1));
                continue;
            } else if moves == Moves::BELOW {
                self.describe_below::<S>(state, (tag, row), site, &mut *from.0);
                continue;
            } else {
                let results = &self.table.results;
                let special = results.special(moves)?;
                append_special(state, special, 0..special.direct, results, out);
                if special.direct < special.count {
                    has_inner = true;
                    self.inner.push((site.place, row));
                }
            }
            row = self.table.next(row);
            if row == 0 {
                return Some(has_inner);
            }
            if out.is_full() {
                return None;
            }
        }
    }

    /// Makes the rows below a level for the values that a state has.
    #[cold]
    #[inline(never)]
    fn describe_below<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        (tag, level): (usize, usize),
        site: &Site,
        source: &mut Source,
    ) {
        let start = Instant::now();
        let location = (site.pid, site.location(site.row(state)));
        let (edges, known) = (self.table.about(level).edges.clone(), self.table.key(level));
        let groups = source.footprints(tag, location, Some(edges), (state, &known));
        self.table.describe_below::<S>(level, state, groups);
        source.spend(start.elapsed());
    }

    /// Makes the footprints of the edges of a row, or the result for a state.
    #[cold]
    #[inline(never)]
    fn learn<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        (tag, row): (usize, usize),
        site: &Site,
        (source, interpreter): (&mut Source, &mut Interpreter),
    ) {
        if self.table.is_fresh(row) {
            let location = (site.pid, site.location(row));
            return self.table.describe(row, source.footprints(tag, location, None, (state, &[0; N])));
        }
        let start = Instant::now();
        let learned = self.moves(state, (tag, row), site, (&mut *source, interpreter));
        self.table.learn::<S>(row, state, learned.unwrap_or(Learned::LeftOut));
        source.asked += 1;
        source.spend(start.elapsed());
    }

    /// The moves of a process by the edges of a row. Nothing if there are findings, or if a successor has no difference that is the same
    /// for all states with these bits.
    fn moves(
        &mut self,
        state: &[u64; N],
        (tag, row): (usize, usize),
        site: &Site,
        (source, interpreter): (&mut Source, &mut Interpreter),
    ) -> Option<Learned<N>> {
        let tag_mask = (1u64 << source.words.layout().tag_bits()) - 1;
        let About { edges, changed, free, .. } = self.table.about(row).clone();
        let key = self.decisive(row, site, tag_mask);
        let step = |key, difference| Step { key, difference, place: site.place as u64 };
        let mut ask = |state: &[u64; N]| self.successors(state, (tag, site.pid), edges.clone(), (source, interpreter));
        if free == [0; N] {
            let (after, inner) = ask(state)?;
            let difference = |words: &[u64; N]| std::array::from_fn(|i| words[i] ^ state[i]);
            let differences: Vec<[u64; N]> = after.iter().map(difference).collect();
            let is_known =
                after.iter().zip(&differences).all(|(after, bits)| is_within(after, bits, &changed, tag_mask, tag));
            debug_assert!(is_known, "a move changes what its footprint does not have");
            let steps = differences.into_iter().map(|difference| step(key, difference)).collect();
            return is_known.then_some(Learned::Moves(steps, inner));
        }
        // A step that copies or overwrites bits depends on all others that read or write them.
        let key = std::array::from_fn(|i| key[i] | free[i]);
        let codes = Codes::new(&free);
        let runs: Vec<(Vec<[u64; N]>, usize)> =
            (0..codes.runs()).map(|run| ask(&codes.state(state, run))).collect::<Option<_>>()?;
        let (count, inner) = (runs[0].0.len(), runs[0].1);
        if runs.iter().any(|run| run.0.len() != count || run.1 != inner) {
            debug_assert!(false, "moves depend on what is not in the key of their footprint");
            return None;
        }
        let mut changes = Vec::new();
        for i in 0..count {
            let after: Vec<[u64; N]> = runs.iter().map(|run| run.0[i]).collect();
            let change = codes.change(state, &after);
            debug_assert!(change.is_some(), "a move changes what its footprint does not have");
            let change = change.filter(|change| is_within(&after[0], &change.bits(), &changed, tag_mask, tag))?;
            let bits = change.bits();
            changes.push((change, step(key, bits)));
        }
        if changes.iter().all(|(change, _)| change.is_difference()) {
            return Some(Learned::Moves(changes.into_iter().map(|(_, step)| step).collect(), inner));
        }
        Some(Learned::Changes(changes, inner))
    }

    /// The successors by the moves of a process, and how many of them an atomic sequence leads to. Nothing if there are findings, or
    /// if a successor has not all of its bits at the same places.
    fn successors(
        &mut self,
        state: &[u64; N],
        (tag, pid): (usize, usize),
        edges: Range<usize>,
        (source, interpreter): (&mut Source, &mut Interpreter),
    ) -> Option<(Vec<[u64; N]>, usize)> {
        source.batch.clear();
        source.words.decode(&padded(state), &mut source.packed);
        let direct = interpreter.moves_of(&source.packed, pid as u8, edges, &mut source.batch);
        if !source.batch.findings().is_empty() {
            return None;
        }
        let mut all = Vec::new();
        for successor in source.batch.states() {
            let words = source.words.encode(successor, tag)?;
            let after = source.words.layout().tag(&words);
            if after != tag && !*self.kept.entry((tag, after)).or_insert_with(|| source.keeps_places(tag, after)) {
                return None;
            }
            all.push(std::array::from_fn(|i| words[i]));
        }
        let inner = all.len() - direct;
        Some((all, inner))
    }

    /// The bits that decide about the moves of a row, with those that tell the location and which processes there are.
    fn decisive(&self, row: usize, site: &Site, tag_mask: u64) -> [u64; N] {
        let (key, location) = (self.table.key(row), site.location_bits::<N>());
        std::array::from_fn(|i| key[i] | location[i] | if i == 0 { tag_mask } else { 0 })
    }
}

impl<const N: usize> Cache<N> {
    /// Expands states with the fastest instructions of this processor.
    fn run_fast(&mut self, task: &mut Task<'_, '_>, watch: &mut impl Watch) -> usize {
        #[cfg(target_arch = "x86_64")]
        if self.fast {
            #[target_feature(enable = "bmi1,bmi2")]
            fn run<const N: usize>(cache: &mut Cache<N>, task: &mut Task<'_, '_>, watch: &mut impl Watch) -> usize {
                cache.run::<select::ByInstruction>(task, watch)
            }
            // SAFETY: the processor has these instructions, or the value would be another.
            return unsafe { run(self, task, watch) };
        }
        self.run::<ByShifts>(task, watch)
    }
}

impl<const N: usize> OfWidth for Cache<N> {
    fn has_short_keys(&self) -> bool {
        self.table.has_short_keys()
    }

    fn expand_all(&mut self, task: &mut Task<'_, '_>) -> usize {
        self.run_fast(task, &mut ())
    }

    fn expand_parts(&mut self, task: &mut Task<'_, '_>, parts: &mut Parts) -> bool {
        parts.first = task.out.len();
        parts.ends.clear();
        parts.standing.clear();
        self.run_fast(task, parts) == 1
    }
}

/// Appends some of the moves of a special result.
#[inline(always)]
fn append_special<const N: usize>(
    state: &[u64; N],
    special: &Special,
    moves: Range<u32>,
    results: &Results<N>,
    out: &mut impl Output<N>,
) {
    if special.are_changes {
        let changes = &results.changes(special)[moves.start as usize..moves.end as usize];
        changes.iter().for_each(|change| out.change(state, change));
    } else {
        out.append(state, (special.number + moves.start, moves.len()), &results.steps);
    }
}

/// Whether a move that leads to these words changes no other bits than its footprint says. If processes are created or end, it may.
fn is_within<const N: usize>(after: &[u64; N], bits: &[u64; N], changed: &[u64; N], tag_mask: u64, tag: usize) -> bool {
    after[0] & tag_mask != tag as u64 || (0..N).all(|i| bits[i] & !changed[i] == 0)
}
