//! The accesses that processes can reach while some guards are false.
//!
//! In place of a necessary enabling set for each disabled edge, the locations of a process are followed up to the
//! guards that no process outside of the ample set can make true. Results are cached by control point and false
//! guards.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::access::{Access, Alternative};
use super::ample::members;
use super::guards::{GuardSet, GuardTable, StateGuard};
use super::memo::mix;
use super::resources::Resources;
use crate::bitset::BitSet;
use kripke_model::State;
use kripke_model::layout::Layout;

/// The resources that some steps access.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    pub reads: BitSet,
    pub writes: BitSet,
    pub adds: BitSet,
}

impl Accesses {
    pub fn new(resources: usize) -> Accesses {
        let none = || BitSet::new(resources);
        Accesses { reads: none(), writes: none(), adds: none() }
    }

    pub fn of(access: &Access) -> Accesses {
        Accesses { reads: access.reads.clone(), writes: access.writes.clone(), adds: access.adds.clone() }
    }

    /// Adds other accesses. True if that adds a resource.
    pub fn union_with(&mut self, other: &Accesses) -> bool {
        self.reads.union_with(&other.reads) | self.writes.union_with(&other.writes) | self.adds.union_with(&other.adds)
    }
}

/// An alternative of a control point.
#[derive(Debug)]
struct GuardedPath {
    guards: GuardSet,
    accesses: Accesses,
    targets: Vec<u32>,
}

/// The alternatives of all control points, with their guards.
#[derive(Debug)]
pub(super) struct GuardedPaths {
    guards: GuardTable,
    paths: Vec<Vec<GuardedPath>>,
    /// By control point: the guards that occur on paths from there.
    pub guards_ahead: Vec<GuardSet>,
    /// By control point: the rendezvous guards that a process there makes true.
    offers: Vec<GuardSet>,
    /// By resource: the guards that a write or addition can make true.
    enables: Vec<GuardSet>,
    /// By resource: the dependence rows that depend on a read, a write or an addition.
    readers: Vec<BitSet>,
    writers: Vec<BitSet>,
    adders: Vec<BitSet>,
    rows: usize,
}

impl GuardedPaths {
    /// Takes the alternatives of each control point, with the first control point of its instance. None if there are
    /// no guards.
    pub fn new(
        alternatives: Vec<(usize, Vec<Alternative>)>,
        steps: &[Access],
        resources: &Resources,
        layout: &Layout,
    ) -> Option<GuardedPaths> {
        let mut guards = GuardTable::default();
        let (mut paths, mut offered) = (Vec::new(), Vec::new());
        for (first, alternatives) in alternatives {
            offered.push(alternatives.iter().flat_map(|one| one.offers.iter().cloned()).collect());
            paths.push(guarded_paths(first, alternatives, &mut guards, layout));
        }
        if guards.is_empty() {
            return None;
        }
        guards.finish();
        let set = |offers: Vec<StateGuard>| {
            offers.iter().filter_map(|guard| guards.get(guard)).fold(0, |set, n| set | 1 << n)
        };
        let offers: Vec<GuardSet> = offered.into_iter().map(set).collect();
        let mut enables = vec![0; resources.len];
        for (guard, number) in guards.iter() {
            guard.enabled_by(resources).into_iter().for_each(|n| enables[n] |= 1 << number);
        }
        let rows = 2 * steps.len();
        let none = || vec![BitSet::new(rows); resources.len];
        let mut paths = GuardedPaths {
            guards_ahead: Vec::new(),
            guards,
            paths,
            offers,
            enables,
            readers: none(),
            writers: none(),
            adders: none(),
            rows,
        };
        paths.collect_guards_ahead();
        paths.index(steps);
        Some(paths)
    }

    fn collect_guards_ahead(&mut self) {
        self.guards_ahead =
            self.paths.iter().map(|paths| paths.iter().fold(0, |set, path| set | path.guards)).collect();
        let mut grown = true;
        while grown {
            grown = false;
            for point in (0..self.paths.len()).rev() {
                let mut set = self.guards_ahead[point];
                for target in self.paths[point].iter().flat_map(|path| &path.targets) {
                    set |= self.guards_ahead[*target as usize];
                }
                grown |= set != self.guards_ahead[point];
                self.guards_ahead[point] = set;
            }
        }
    }

    /// The guards on paths from these control points: those that depend on the state, and those of a rendezvous that no
    /// process at these points offers.
    pub fn guards_of(&self, points: &[usize]) -> (GuardSet, GuardSet) {
        let union = |sets: &[GuardSet]| points.iter().fold(0, |set, point| set | sets[*point]);
        let (ahead, partners) = (union(&self.guards_ahead), self.guards.partners);
        (ahead & !partners, ahead & partners & !union(&self.offers))
    }

    /// Those of some guards that are false in a state, and the number of evaluations.
    pub fn disabled(&self, state: &State, guards: GuardSet) -> (GuardSet, u32) {
        self.guards.disabled(state, guards)
    }

    /// Each control point has two rows: for a disabled and for an enabled process.
    fn index(&mut self, steps: &[Access]) {
        for (point, step) in steps.iter().enumerate() {
            for enabled in [false, true] {
                let row = 2 * point + usize::from(enabled);
                for n in step.writes.iter() {
                    self.readers[n].insert(row);
                    self.writers[n].insert(row);
                    self.adders[n].insert(row);
                }
                for n in step.adds.iter() {
                    self.readers[n].insert(row);
                    self.writers[n].insert(row);
                }
                let waits = step.waits.iter().filter(|_| !enabled || !step.enabled_together);
                for n in step.reads.iter().chain(waits) {
                    self.writers[n].insert(row);
                    self.adders[n].insert(row);
                }
            }
        }
    }

    /// The rows that depend on some of these accesses.
    fn dependent_rows(&self, accesses: &Accesses) -> BitSet {
        let mut rows = BitSet::new(self.rows);
        for n in accesses.reads.iter() {
            rows.union_with(&self.readers[n]);
        }
        for n in accesses.writes.iter() {
            rows.union_with(&self.writers[n]);
        }
        for n in accesses.adds.iter() {
            rows.union_with(&self.adders[n]);
        }
        rows
    }

    /// What a process can do from a control point while these guards stay false.
    fn reachable(&self, point: usize, disabled: GuardSet) -> Reachable {
        let mut accesses = Accesses::new(self.enables.len());
        let mut seen = BitSet::new(self.paths.len());
        seen.insert(point);
        let (mut todo, mut enables) = (vec![point as u32], 0);
        while let Some(at) = todo.pop() {
            enables |= self.offers[at as usize];
            for path in self.paths[at as usize].iter().filter(|path| path.guards & disabled == 0) {
                accesses.union_with(&path.accesses);
                for target in path.targets.iter().filter(|target| !seen.contains(**target as usize)) {
                    todo.push(*target);
                }
                path.targets.iter().for_each(|target| seen.insert(*target as usize));
            }
        }
        for n in accesses.writes.iter().chain(accesses.adds.iter()) {
            enables |= self.enables[n];
        }
        Reachable { enables, dependent_rows: self.dependent_rows(&accesses) }
    }
}

/// The paths from one control point, whose instance has this first control point. Numbers their guards.
fn guarded_paths(
    first: usize,
    alternatives: Vec<Alternative>,
    guards: &mut GuardTable,
    layout: &Layout,
) -> Vec<GuardedPath> {
    let path = |alternative: Alternative| {
        let number = |guard| guards.number(guard, layout).map_or(0, |n| 1 << n);
        let set = alternative.guards.iter().map(number).fold(0, |set: GuardSet, guard: GuardSet| set | guard);
        let targets = alternative.access.targets.iter().map(|at| (first + at) as u32).collect();
        GuardedPath { guards: set, accesses: Accesses::of(&alternative.access), targets }
    };
    alternatives.into_iter().filter(|one| !one.timeout_only).map(path).collect()
}

/// What a process can do from a control point.
#[derive(Debug)]
struct Reachable {
    /// The guards that it can make true.
    enables: GuardSet,
    /// The rows that depend on its accesses.
    dependent_rows: BitSet,
}

/// A cache of [`Reachable`] by control point and false guards.
#[derive(Default, Debug)]
struct Cache {
    entries: Vec<Reachable>,
    by_key: HashMap<(u32, GuardSet), u32, BuildHasherDefault<Mixer>>,
    /// The most recent entry of each control point.
    recent: Vec<(GuardSet, u32)>,
}

/// A larger cache is cleared.
const MAX_ENTRIES: usize = 1 << 14;
const NONE: u32 = u32::MAX;

impl Cache {
    fn prepare(&mut self, points: usize) {
        if self.entries.len() > MAX_ENTRIES || self.recent.is_empty() {
            *self = Cache::default();
            self.recent.resize(points, (0, NONE));
        }
    }

    #[inline]
    fn find(&mut self, paths: &GuardedPaths, point: usize, disabled: GuardSet) -> u32 {
        let disabled = disabled & paths.guards_ahead[point];
        let (last, at) = self.recent[point];
        if at != NONE && last == disabled {
            return at;
        }
        let entries = &mut self.entries;
        let at = *self.by_key.entry((point as u32, disabled)).or_insert_with(|| {
            entries.push(paths.reachable(point, disabled));
            entries.len() as u32 - 1
        });
        self.recent[point] = (disabled, at);
        at
    }

    fn get(&self, at: u32) -> &Reachable {
        &self.entries[at as usize]
    }
}

/// A hash function of two multiplications for control points and sets of guards.
#[derive(Default, Debug)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u128(u128::from(n));
    }

    fn write_u128(&mut self, n: u128) {
        self.0 = mix(mix(self.0, n as u64), (n >> 64) as u64);
    }
}

/// The guards of one state.
#[derive(Default, Debug)]
pub(super) struct GuardedState {
    disabled: GuardSet,
    /// What each process can do while they all stay false, as entries of the cache.
    reachable: Vec<u32>,
    cache: Cache,
}

impl GuardedState {
    /// Assumes that exactly these guards are false in a state with its processes at these control points.
    pub fn assume(&mut self, paths: &GuardedPaths, false_guards: GuardSet, points: &[usize]) {
        let GuardedState { disabled, reachable, cache } = self;
        cache.prepare(paths.paths.len());
        *disabled = false_guards;
        reachable.clear();
        reachable.extend(points.iter().map(|point| cache.find(paths, *point, *disabled)));
    }

    /// The candidates that can execute a transition dependent on a row while all false guards stay false.
    pub fn dependent(&self, candidates: u64, row: usize) -> u64 {
        self.filter_dependent(candidates, row, |pid| self.reachable[pid])
    }

    /// The same while these guards stay false.
    pub fn dependent_while(
        &mut self,
        paths: &GuardedPaths,
        candidates: u64,
        row: usize,
        disabled: GuardSet,
        points: &[usize],
    ) -> u64 {
        let mut all = 0;
        for pid in members(candidates) {
            let reachable = self.cache.find(paths, points[pid], disabled);
            all |= self.filter_dependent(1 << pid, row, |_| reachable);
        }
        all
    }

    fn filter_dependent(&self, candidates: u64, row: usize, reachable: impl Fn(usize) -> u32) -> u64 {
        let concerns = |pid: &usize| self.cache.get(reachable(*pid)).dependent_rows.contains(row);
        members(candidates).filter(concerns).fold(0, |set, pid| set | 1 << pid)
    }

    /// The false guards that no process outside of the set can make true: the greatest set of guards such that, while
    /// they are false, no process outside reaches a step that makes one of them true. None if these are all false
    /// guards.
    pub fn stable(&mut self, paths: &GuardedPaths, set: u64, points: &[usize]) -> Option<GuardSet> {
        let others = members(!set & (u64::MAX >> (64 - points.len())));
        let enabled = others.clone().fold(0, |all, pid| all | self.cache.get(self.reachable[pid]).enables);
        let mut disabled = self.disabled & !enabled;
        if disabled == self.disabled {
            return None;
        }
        loop {
            let enables = |all, pid: usize| {
                let reachable = self.cache.find(paths, points[pid], disabled);
                all | self.cache.get(reachable).enables
            };
            let enabled = others.clone().fold(0, enables);
            if disabled & enabled == 0 {
                return Some(disabled);
            }
            disabled &= !enabled;
        }
    }
}
