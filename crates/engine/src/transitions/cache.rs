//! Expansion of states of `N` words from the table of transitions.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use kripke_model::{Interpreter, Parts};

use super::codes::Codes;
use super::output::{Out, Watch, is_watched, padded, words};
use super::results::{Change, Learned, MOST_MOVES};
use super::select::{self, ByShifts, SelectBits};
use super::sites::{Group, JointRow, Shape, Site, groups};
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
}

/// After so many groups it is judged whether groups are expanded jointly.
const JUDGED: u32 = 1 << 14;

/// The result of expanding a state: the number of successors, or the reason why it is left to others.
enum Expanded {
    Moves(usize),
    LeftOut,
}

impl<const N: usize> Cache<N> {
    pub fn new() -> Cache<N> {
        #[cfg(target_arch = "x86_64")]
        let fast = crate::words::selects_bits_fast();
        #[cfg(not(target_arch = "x86_64"))]
        let fast = false;
        Cache {
            table: Table::new(),
            shapes: HashMap::new(),
            current: None,
            joint: Vec::new(),
            inner: Vec::new(),
            joins: true,
            apart: 0,
            tried: 0,
            kept: HashMap::new(),
            fast,
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
        let (bytes, batch_ends) = task.out.parts();
        let (start, before) = (bytes.len(), batch_ends.len());
        let (mut written, mut expanded) = (0, 0);
        let tag_mask = (1u64 << task.source.words.layout().tag_bits()) - 1;
        let mut current = self.current.take();
        for state in task.states {
            if before + written > MANY_STATES {
                break;
            }
            let words = words::<N>(state);
            let tag = (words[0] & tag_mask) as usize;
            let (_, shape) = match &mut current {
                Some(current) if current.0 == tag => current,
                other => other.insert((tag, self.shape(tag, task.source))),
            };
            match self.expand::<S>(&words, (tag, shape), bytes, (task.source, task.interpreter), watch) {
                Expanded::Moves(0) => break,
                Expanded::Moves(moves) => {
                    written += moves;
                    task.ends.push(before + written);
                    expanded += 1;
                }
                Expanded::LeftOut => {
                    task.left = true;
                    break;
                }
            }
        }
        self.current = current;
        if self.tried >= JUDGED {
            self.joins = self.apart < JUDGED / 8;
            (self.apart, self.tried) = (0, 0);
        }
        let width = size_of::<[u64; N]>();
        batch_ends.extend((1..=written).map(|n| (start + n * width) as u32));
        expanded
    }

    /// Appends the successors of a state.
    #[inline(always)]
    fn expand<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        (tag, shape): (usize, &Shape<N>),
        bytes: &mut Vec<u8>,
        mut from: (&mut Source, &mut Interpreter),
        watch: &mut impl Watch,
    ) -> Expanded {
        let start = bytes.len();
        let room = (shape.sites.len() + 2) * MOST_MOVES;
        let mut out = Out::new(bytes, room);
        let mut has_inner = false;
        self.inner.clear();
        if !is_watched(watch) && self.joins && shape.joins {
            for group in &shape.groups {
                let sites = &shape.sites[group.sites.clone()];
                self.tried += 1;
                if self.expand_group::<S>(state, tag, (group, sites), &mut from, &mut out) {
                    if out.is_full() {
                        return Expanded::LeftOut;
                    }
                    continue;
                }
                self.apart += 1;
                for site in sites {
                    let Some(inner) = self.expand_site::<S>(state, tag, site, &mut from, &mut out) else {
                        return Expanded::LeftOut;
                    };
                    has_inner |= inner;
                }
            }
        } else {
            for site in &shape.sites {
                watch.stands(site, site.row(state));
                let Some(inner) = self.expand_site::<S>(state, tag, site, &mut from, &mut out) else {
                    return Expanded::LeftOut;
                };
                has_inner |= inner;
                watch.moves(site, || out.count());
            }
        }
        if has_inner {
            for (site, row) in self.inner.iter().map(|(site, row)| (&shape.sites[*site], *row)) {
                let (_, moves) = self.table.look::<S>(row, state);
                let direct = moves.count() - moves.inner();
                match moves.are_changes() {
                    true => {
                        self.table.results.changes(moves)[direct..].iter().for_each(|change| out.change(state, change))
                    }
                    false => {
                        self.table.results.from(moves, direct).for_each(|difference| out.append(state, difference))
                    }
                }
                if out.is_full() {
                    return Expanded::LeftOut;
                }
                watch.moves(site, || out.count());
            }
        }
        let len = out.len(bytes);
        // SAFETY: memory for so many bytes was reserved, and everything up to there was written.
        unsafe { bytes.set_len(len) };
        Expanded::Moves((len - start) / size_of::<[u64; N]>())
    }

    /// Appends the moves of all processes of a group. False if it has to be done for each process.
    #[inline(always)]
    fn expand_group<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        tag: usize,
        (group, sites): (&Group<N>, &[Site]),
        from: &mut (&mut Source, &mut Interpreter),
        out: &mut Out<N>,
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
            if moves.is_plain() {
                out.write(state, &moves.first);
                out.advance(moves.count());
            } else if moves.are_unknown() {
                self.learn_joint::<S>(state, tag, (row, sites), from);
                continue;
            } else if moves.are_apart() || moves.are_left_out() || moves.inner() > 0 || moves.are_changes() {
                return false;
            } else {
                out.write(state, &moves.first);
                out.advance(2);
                self.table.results.more(moves).iter().for_each(|difference| out.append(state, difference));
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
        let mut all = Vec::new();
        let (mut apart, inner) = (false, self.inner.len());
        for site in sites {
            let mut own = Vec::new();
            match self.expand_site::<S>(state, tag, site, from, &mut Out::new(&mut own, 2 * MOST_MOVES)) {
                Some(false) => {}
                _ => apart = true,
            }
            for row in self.table.chain(site.row(state)) {
                let (_, moves) = self.table.look::<S>(row, state);
                if moves.are_changes() {
                    apart = true;
                } else if !moves.are_unknown() && !moves.are_left_out() {
                    all.extend(self.table.results.from(moves, 0).copied());
                }
            }
        }
        self.inner.truncate(inner);
        // The row of a process alone is its own joint row.
        if !self.table.look::<S>(joint.0 as usize, state).1.are_unknown() {
            return;
        }
        let learned = if apart { Learned::Apart } else { Learned::Moves(all, 0) };
        self.table.learn::<S>(joint.0 as usize, state, learned);
    }

    /// Appends the moves of a process that no atomic sequence leads to. Returns whether there are others. Nothing if they are left out.
    #[inline(always)]
    fn expand_site<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        tag: usize,
        site: &Site,
        from: &mut (&mut Source, &mut Interpreter),
        out: &mut Out<N>,
    ) -> Option<bool> {
        let (mut row, mut has_inner) = (site.row(state), false);
        loop {
            let (last, moves) = self.table.look::<S>(row, state);
            row = last;
            if moves.is_plain() {
                // What is written behind the last move is overwritten.
                out.write(state, &moves.first);
                out.advance(moves.count());
            } else if moves.are_unknown() {
                self.learn::<S>(state, (tag, row), site, (&mut *from.0, &mut *from.1));
                continue;
            } else if moves.are_below() {
                self.describe_below::<S>(state, (tag, row), site, &mut *from.0);
                continue;
            } else if moves.are_left_out() {
                return None;
            } else if moves.are_changes() {
                let direct = moves.count() - moves.inner();
                self.table.results.changes(moves)[..direct].iter().for_each(|change| out.change(state, change));
                if moves.inner() > 0 {
                    has_inner = true;
                    self.inner.push((site.place, row));
                }
            } else if moves.inner() == 0 {
                out.write(state, &moves.first);
                out.advance(2);
                self.table.results.more(moves).iter().for_each(|difference| out.append(state, difference));
            } else {
                has_inner = true;
                self.inner.push((site.place, row));
                let direct = moves.count() - moves.inner();
                self.table.results.from(moves, 0).take(direct).for_each(|difference| out.append(state, difference));
            }
            if out.is_full() {
                return None;
            }
            row = self.table.next(row);
            if row == 0 {
                return Some(has_inner);
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
        let location = (site.pid, site.location(site.row(state)));
        let (edges, known) = (self.table.about(level).edges.clone(), self.table.key(level));
        let groups = source.footprints(tag, location, Some(edges), (state, &known));
        self.table.describe_below::<S>(level, state, groups);
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
        let learned = self.moves(state, (tag, row), site.pid, (source, interpreter));
        self.table.learn::<S>(row, state, learned.unwrap_or(Learned::LeftOut));
    }

    /// The moves of a process by the edges of a row. Nothing if there are findings, or if a successor has no difference that is the same
    /// for all states with these bits.
    fn moves(
        &mut self,
        state: &[u64; N],
        (tag, row): (usize, usize),
        pid: usize,
        (source, interpreter): (&mut Source, &mut Interpreter),
    ) -> Option<Learned<N>> {
        source.asked += 1;
        let tag_mask = (1u64 << source.words.layout().tag_bits()) - 1;
        let About { edges, changed, free, .. } = self.table.about(row).clone();
        let mut ask = |state: &[u64; N]| self.successors(state, (tag, pid), edges.clone(), (source, interpreter));
        if free == [0; N] {
            let (after, inner) = ask(state)?;
            let difference = |words: &[u64; N]| std::array::from_fn(|i| words[i] ^ state[i]);
            let differences: Vec<[u64; N]> = after.iter().map(difference).collect();
            let is_known =
                after.iter().zip(&differences).all(|(after, bits)| is_within(after, bits, &changed, tag_mask, tag));
            debug_assert!(is_known, "a move changes what its footprint does not have");
            return is_known.then_some(Learned::Moves(differences, inner));
        }
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
            changes.push(change.filter(|change| is_within(&after[0], &change.bits(), &changed, tag_mask, tag))?);
        }
        if changes.iter().all(Change::is_difference) {
            return Some(Learned::Moves(changes.iter().map(|change| change.difference).collect(), inner));
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

/// Whether a move that leads to these words changes no other bits than its footprint says. If processes are created or end, it may.
fn is_within<const N: usize>(after: &[u64; N], bits: &[u64; N], changed: &[u64; N], tag_mask: u64, tag: usize) -> bool {
    after[0] & tag_mask != tag as u64 || (0..N).all(|i| bits[i] & !changed[i] == 0)
}
