//! Transition caching: the moves of a process depend on few bits of the state, so they are computed once for each value of
//! these bits and then taken from a table (Blom, van de Pol and Weber, *LTSmin: distributed and symbolic reachability*, 2010).
//!
//! States are in words. A [footprint](footprint) says which bits decide about the moves of a process at a location. The
//! [table] has the successors for each value of these bits, as differences from the state: a successor takes one instruction
//! for each word. The interpreter makes the entries, when a state first needs them. What has no footprint, and every state
//! with an error or without successors, is left to the code and the interpreter.

mod footprint;
mod select;
mod table;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use kripke_model::ir::{LocId, Scheduling};
use kripke_model::layout::Layout;
use kripke_model::words::{MAX_WORDS, Position};
use kripke_model::{Batch, Interpreter, Model, Parts, Standing, State};

use crate::facts::Facts;
use crate::words::Words;
use footprint::Footprints;
use select::{ByShifts, SelectBits};
use table::{About, MOST_MOVES, Table};

/// States of a batch after which it is large.
const MANY_STATES: usize = 1 << 12;

/// The transition cache of a thread.
pub(crate) struct TransitionCache {
    of_width: Box<dyn OfWidth>,
    source: Source,
    /// The numbers of states that were expanded, and that were left to others because of their moves.
    expanded: u64,
    left: u64,
}

/// Where the entries come from.
#[derive(Debug)]
struct Source {
    model: Arc<Model>,
    layout: Arc<Layout>,
    facts: Arc<Facts>,
    words: Arc<Words>,
    packed: Vec<u8>,
    batch: Batch,
    /// The number of times that the interpreter was asked.
    asked: u64,
}

/// A cache for states of some number of words.
trait OfWidth: Send {
    fn expand_all(&mut self, task: &mut Task<'_, '_>) -> usize;
    fn expand_parts(&mut self, task: &mut Task<'_, '_>, parts: &mut Parts) -> bool;
    fn stat(&self) -> String;
}

/// States to expand, and the place for their successors.
struct Task<'a, 's> {
    states: &'a [&'s State],
    out: &'a mut Batch,
    ends: &'a mut Vec<usize>,
    source: &'a mut Source,
    interpreter: &'a mut Interpreter,
    /// A state was left out because of its moves.
    left: bool,
}

impl TransitionCache {
    /// A cache for a model. Nothing if its moves depend on more than footprints can tell.
    pub fn new(model: &Arc<Model>, layout: &Arc<Layout>, claims: bool, words: &Arc<Words>) -> Option<TransitionCache> {
        let claims = claims && model.processes.iter().any(|process| !process.claims.is_empty());
        let committed = model.processes.iter().flat_map(|process| &process.locations).any(|at| at.committed);
        let watched = model.observer.is_some() || model.goal.is_some() || model.trace.is_some();
        let ordered = model.uses_last || model.uses_priorities || model.scheduling != Scheduling::Interleaved;
        if claims || committed || watched || ordered || layout.hidden > 0 {
            return None;
        }
        let facts = Arc::new(Facts::new(model, layout, Vec::new(), false));
        let (model, layout, words) = (model.clone(), layout.clone(), words.clone());
        let of_width: Box<dyn OfWidth> = match words.layout().word_count() {
            1 => Box::new(Cache::<1>::new()),
            2 => Box::new(Cache::<2>::new()),
            3 => Box::new(Cache::<3>::new()),
            4 => Box::new(Cache::<4>::new()),
            5 => Box::new(Cache::<5>::new()),
            6 => Box::new(Cache::<6>::new()),
            7 => Box::new(Cache::<7>::new()),
            8 => Box::new(Cache::<8>::new()),
            _ => return None,
        };
        let source = Source { model, layout, facts, words, packed: Vec::new(), batch: Batch::new(), asked: 0 };
        Some(TransitionCache { of_width, source, expanded: 0, left: 0 })
    }

    /// Appends the successors of states, and to `ends` the number of states in the batch after each, up to a state that has
    /// none or that is left to others. Returns the number of expanded states.
    pub fn expand_all(
        &mut self,
        states: &[&State],
        out: &mut Batch,
        ends: &mut Vec<usize>,
        interpreter: &mut Interpreter,
    ) -> usize {
        let mut task = Task { states, out, ends, source: &mut self.source, interpreter, left: false };
        let expanded = self.of_width.expand_all(&mut task);
        self.left += u64::from(task.left);
        self.expanded += expanded as u64;
        expanded
    }

    /// Appends the successors of a state, and tells which process has which. False if the state has none, or is left to others.
    pub fn expand_parts(
        &mut self,
        state: &State,
        out: &mut Batch,
        parts: &mut Parts,
        interpreter: &mut Interpreter,
    ) -> bool {
        let mut ends = Vec::new();
        let mut task = Task { states: &[state], out, ends: &mut ends, source: &mut self.source, interpreter, left: false };
        let expanded = self.of_width.expand_parts(&mut task, parts);
        self.left += u64::from(task.left);
        self.expanded += u64::from(expanded);
        expanded
    }

    /// Whether the cache saves work: few states are left to others, and few entries are used only once.
    pub fn pays(&self) -> bool {
        let states = self.expanded + self.left;
        (self.left < PATIENCE || self.left < states / 2) && (self.source.asked < PATIENCE || self.source.asked < states / 32)
    }
}

/// Before a cache has left so many states to others, or made so many entries, it is not judged.
const PATIENCE: u64 = 20_000;

impl fmt::Debug for TransitionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransitionCache").field("asked", &self.source.asked).finish_non_exhaustive()
    }
}

/// A cache for states of `N` words.
#[derive(Debug)]
struct Cache<const N: usize> {
    table: Table<N>,
    shapes: HashMap<usize, Shape>,
    /// The number of the shape in `sites`, and its sites.
    current: Option<(usize, Shape)>,
    /// Whether fields keep their places from one shape to another.
    kept: HashMap<(usize, usize), bool>,
    fast: bool,
}

/// The processes of the states of one shape, the youngest first. None if they are too many.
type Shape = Arc<Option<Vec<Site>>>;

/// The place where states have the location of a process.
#[derive(Clone, Copy, Debug)]
struct Site {
    word: usize,
    shift: u32,
    mask: u64,
    /// The row of the location whose bits are zero.
    first_row: usize,
    /// The location that these bits denote.
    least: u32,
    pid: usize,
    /// The type of the process.
    process: u32,
}

/// The result of expanding a state: the number of successors, or the reason why it is left to others.
enum Expanded {
    Moves(usize),
    LeftOut,
}

impl<const N: usize> Cache<N> {
    fn new() -> Cache<N> {
        #[cfg(target_arch = "x86_64")]
        let fast = crate::words::selects_bits_fast();
        #[cfg(not(target_arch = "x86_64"))]
        let fast = false;
        Cache { table: Table::new(), shapes: HashMap::new(), current: None, kept: HashMap::new(), fast }
    }

    /// The sites of a shape.
    fn sites(&mut self, tag: usize, source: &mut Source) -> Shape {
        let Cache { table, shapes, .. } = self;
        shapes.entry(tag).or_insert_with(|| Arc::new(source.sites(tag, table))).clone()
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
                other => other.insert((tag, self.sites(tag, task.source))),
            };
            let expanded_state = match &**shape {
                Some(sites) => {
                    self.expand::<S>(&words, (tag, sites), bytes, (task.source, task.interpreter), watch)
                }
                None => Expanded::LeftOut,
            };
            match expanded_state {
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
        let width = size_of::<[u64; N]>();
        batch_ends.extend((1..=written).map(|n| (start + n * width) as u32));
        expanded
    }

    /// Appends the successors of a state.
    #[inline(always)]
    fn expand<S: SelectBits>(
        &mut self,
        state: &[u64; N],
        (tag, sites): (usize, &[Site]),
        bytes: &mut Vec<u8>,
        from: (&mut Source, &mut Interpreter),
        watch: &mut impl Watch,
    ) -> Expanded {
        let start = bytes.len();
        let room = (sites.len() + 2) * MOST_MOVES;
        bytes.reserve(room * size_of::<[u64; N]>());
        let mut out = Out::new(bytes);
        let limit = out.at.wrapping_add(room - 2 * MOST_MOVES);
        let begin = out.at;
        let mut has_inner = false;
        for site in sites {
            let mut row = site.row(state);
            watch.stands(site, row);
            loop {
                let moves = self.table.look::<S>(row, state);
                if moves.is_plain() {
                    // What is written behind the last move is overwritten.
                    out.write(state, &moves.first);
                    out.advance(moves.count());
                } else if moves.are_unknown() {
                    self.learn::<S>(state, (tag, row), site, (&mut *from.0, &mut *from.1));
                    continue;
                } else if moves.are_left_out() {
                    return Expanded::LeftOut;
                } else if moves.inner() == 0 {
                    out.write(state, &moves.first);
                    out.advance(2);
                    self.table.more(moves).iter().for_each(|difference| out.append(state, difference));
                } else {
                    has_inner = true;
                    let direct = moves.count() - moves.inner();
                    self.table.from(moves, 0).take(direct).for_each(|difference| out.append(state, difference));
                }
                if out.at > limit {
                    return Expanded::LeftOut;
                }
                row = self.table.next(row);
                if row == 0 {
                    break;
                }
            }
            watch.moves(site, || out.since(begin));
        }
        if has_inner {
            for site in sites {
                let mut row = site.row(state);
                loop {
                    let moves = self.table.look::<S>(row, state);
                    let direct = moves.count() - moves.inner();
                    self.table.from(moves, direct).for_each(|difference| out.append(state, difference));
                    if out.at > limit {
                        return Expanded::LeftOut;
                    }
                    row = self.table.next(row);
                    if row == 0 {
                        break;
                    }
                }
                watch.moves(site, || out.since(begin));
            }
        }
        let len = out.len(bytes);
        // SAFETY: memory for so many bytes was reserved, and everything up to there was written.
        unsafe { bytes.set_len(len) };
        Expanded::Moves((len - start) / size_of::<[u64; N]>())
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
            return self.table.describe(row, source.footprints(tag, site.pid, site.location(row)));
        }
        let moves = self.moves(state, (tag, row), site.pid, (source, interpreter));
        self.table.learn::<S>(row, state, moves);
    }

    /// The moves of a process, as differences, and how many an atomic sequence leads to. Nothing if there are findings, or if a successor
    /// has no difference that is the same for all states with these bits.
    fn moves(
        &mut self,
        state: &[u64; N],
        (tag, row): (usize, usize),
        pid: usize,
        (source, interpreter): (&mut Source, &mut Interpreter),
    ) -> Option<(Vec<[u64; N]>, usize)> {
        source.asked += 1;
        source.batch.clear();
        source.words.decode(&padded(state), &mut source.packed);
        let About { edges, changed, .. } = self.table.about(row);
        let direct = interpreter.moves_of(&source.packed, pid as u8, edges.clone(), &mut source.batch);
        if !source.batch.findings().is_empty() {
            return None;
        }
        let mut moves = Vec::new();
        for successor in source.batch.states() {
            let words = source.words.encode(successor, tag)?;
            let after = source.words.layout().tag(&words);
            if after != tag && !*self.kept.entry((tag, after)).or_insert_with(|| source.keeps_places(tag, after)) {
                return None;
            }
            let difference: [u64; N] = std::array::from_fn(|i| words[i] ^ state[i]);
            let outside = (0..N).any(|i| difference[i] & !changed[i] != 0);
            if after == tag && outside {
                debug_assert!(false, "a move changes what its footprint does not have");
                return None;
            }
            moves.push(difference);
        }
        let inner = moves.len() - direct;
        Some((moves, inner))
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
    fn stat(&self) -> String { self.table.stat() }
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

/// What is told about the processes of a state while it is expanded.
trait Watch {
    /// A process stands at the location of a row.
    fn stands(&mut self, site: &Site, row: usize);

    /// So many successors are there after the moves of a process.
    fn moves(&mut self, site: &Site, successors: impl FnOnce() -> usize);
}

/// Nothing.
impl Watch for () {
    #[inline(always)]
    fn stands(&mut self, _: &Site, _: usize) {}

    #[inline(always)]
    fn moves(&mut self, _: &Site, _: impl FnOnce() -> usize) {}
}

impl Watch for Parts {
    #[inline(always)]
    fn stands(&mut self, site: &Site, row: usize) {
        let nobody = Standing { process: 0, location: 0 };
        self.standing.resize(self.standing.len().max(site.pid + 1), nobody);
        self.standing[site.pid] = Standing { process: site.process, location: site.location(row) };
    }

    #[inline(always)]
    fn moves(&mut self, site: &Site, successors: impl FnOnce() -> usize) {
        self.ends.push((site.pid as u8, self.first + successors()));
    }
}

impl Site {
    /// The location of a row.
    #[inline(always)]
    fn location(&self, row: usize) -> u32 {
        self.least.wrapping_add((row - self.first_row) as u32)
    }

    /// The row of the location of the process.
    #[inline(always)]
    fn row<const N: usize>(&self, state: &[u64; N]) -> usize {
        let low = state[if N == 1 { 0 } else { self.word }] >> self.shift;
        // The bits may be in two words.
        let high = if N == 1 { 0 } else { state[(self.word + 1) % N] << 1 << (63 - self.shift) };
        self.first_row + ((low | high) & self.mask) as usize
    }
}

impl Source {
    /// The packed state of a shape whose bits are all zero.
    fn template(&mut self, tag: usize) -> Vec<u8> {
        let mut words = [0; MAX_WORDS];
        words[0] = tag as u64;
        self.words.decode(&words, &mut self.packed);
        self.packed.clone()
    }

    fn sites<const N: usize>(&mut self, tag: usize, table: &mut Table<N>) -> Option<Vec<Site>> {
        let template = self.template(tag);
        let Source { model, layout, facts, words, .. } = self;
        let footprints = Footprints::new(model, (layout, facts), (words.layout(), tag), template);
        (0..footprints.processes()).rev().map(|pid| {
            let constant = Position { bytes: 1, least: 0, bits: 0, first: 0 };
            let position = words.layout().position(tag, footprints.location_at(pid));
            let least = position.map_or(footprints.location(pid).0, |position| position.least);
            let Position { bits, first, .. } = position.unwrap_or(constant);
            Some(Site {
                word: first as usize / 64,
                shift: first % 64,
                mask: (1 << bits) - 1,
                first_row: table.add_rows(1 << bits),
                least,
                pid,
                process: footprints.process_type(pid),
            })
        }).collect()
    }

    /// The footprints of the moves of a process from a location, for groups of its edges.
    fn footprints(
        &mut self,
        tag: usize,
        pid: usize,
        location: u32,
    ) -> Vec<(std::ops::Range<usize>, Option<footprint::Footprint>)> {
        let template = self.template(tag);
        let Source { model, layout, facts, words, .. } = self;
        let footprints = Footprints::new(model, (layout, facts), (words.layout(), tag), template);
        if location as usize >= footprints.process(pid).locations.len() {
            return vec![(0..0, None)];
        }
        footprints.groups(pid, LocId(location))
    }

    /// Whether fields that are in states of both shapes have the same places.
    fn keeps_places(&self, before: usize, after: usize) -> bool {
        let layout = self.words.layout();
        let length = layout.lengths().nth(after).unwrap_or(0);
        layout
            .fields(before)
            .filter(|(offset, _)| *offset < length)
            .all(|(offset, position)| layout.position(after, offset) == Some(position))
    }
}

/// The next place in the memory for successors.
struct Out<const N: usize> {
    at: *mut [u64; N],
}

impl<const N: usize> Out<N> {
    fn new(bytes: &mut Vec<u8>) -> Out<N> {
        Out { at: bytes.spare_capacity_mut().as_mut_ptr().cast() }
    }

    /// Writes two successors. There must be memory for them.
    #[inline(always)]
    fn write(&mut self, state: &[u64; N], differences: &[[u64; N]; 2]) {
        let [one, other] = differences.map(|difference| successor(state, &difference));
        // SAFETY: memory for all successors of a state, and more, was reserved.
        unsafe {
            self.at.write_unaligned(one);
            self.at.wrapping_add(1).write_unaligned(other);
        }
    }

    fn append(&mut self, state: &[u64; N], difference: &[u64; N]) {
        // SAFETY: as above.
        unsafe { self.at.write_unaligned(successor(state, difference)) };
        self.advance(1);
    }

    #[inline(always)]
    fn advance(&mut self, successors: usize) {
        self.at = self.at.wrapping_add(successors);
    }

    /// The number of successors since then.
    #[inline(always)]
    fn since(&self, begin: *mut [u64; N]) -> usize {
        (self.at.addr() - begin.addr()) / size_of::<[u64; N]>()
    }

    /// The number of bytes up to here.
    fn len(&self, bytes: &[u8]) -> usize {
        self.at.addr() - bytes.as_ptr().addr()
    }
}

/// The successor with this difference, as it is stored.
#[inline(always)]
fn successor<const N: usize>(state: &[u64; N], difference: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|i| (state[i] ^ difference[i]).to_le())
}

/// The words of a state.
#[inline(always)]
fn words<const N: usize>(state: &State) -> [u64; N] {
    let (words, _) = state.as_chunks::<8>();
    assert!(words.len() == N, "a state has {N} words");
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

/// The words of a state, and zeros.
fn padded<const N: usize>(state: &[u64; N]) -> [u64; MAX_WORDS] {
    let mut words = [0; MAX_WORDS];
    words[..N].copy_from_slice(state);
    words
}
impl Drop for TransitionCache {
    fn drop(&mut self) {
        if std::env::var("KSTAT").is_ok() {
            eprintln!("STAT expanded {} left {} asked {} {}", self.expanded, self.left, self.source.asked, self.of_width.stat());
        }
    }
}
