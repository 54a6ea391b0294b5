//! What processes may do from where they are on, as long as some gates stay shut.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::access::{Access, Way};
use super::bits::Bits;
use super::guards::{Gates, Set};
use super::members;
use super::resources::Resources;
use kripke_model::layout::Layout;

/// What a process may do from a place on.
#[derive(Clone, Debug)]
pub(super) struct Future {
    pub reads: Bits,
    pub writes: Bits,
    pub adds: Bits,
}

impl Future {
    pub fn new(resources: usize) -> Future {
        let none = || Bits::new(resources);
        Future { reads: none(), writes: none(), adds: none() }
    }

    pub fn of(access: Access) -> Future {
        Future { reads: access.reads, writes: access.writes, adds: access.adds }
    }

    /// Adds what another may do. Whether that was anything new.
    pub fn add(&mut self, other: &Future) -> bool {
        self.reads.add(&other.reads) | self.writes.add(&other.writes) | self.adds.add(&other.adds)
    }
}

/// A way to go on from a place.
#[derive(Debug)]
struct Path {
    gates: Set,
    does: Future,
    targets: Vec<u32>,
}

/// The ways to go on from each place, with gates on them.
#[derive(Debug)]
pub(super) struct Futures {
    gates: Gates,
    paths: Vec<Vec<Path>>,
    /// The gates that a process may meet from a place on.
    pub ahead: Vec<Set>,
    /// Whom a process at a place lets others meet.
    offers: Vec<Set>,
    /// For each resource the gates that are opened by changing it.
    opens: Vec<Set>,
    /// For each resource the rows to which it matters if it is read, changed, added to.
    readers: Vec<Bits>,
    writers: Vec<Bits>,
    adders: Vec<Bits>,
    rows: usize,
}

impl Futures {
    /// The ways from each place, and where the places of its process begin. None if there are no gates on them.
    pub fn new(
        ways: Vec<(usize, Vec<Way>)>,
        steps: &[Access],
        resources: &Resources,
        layout: &Layout,
    ) -> Option<Futures> {
        let mut gates = Gates::default();
        let mut offered: Vec<Vec<super::guards::Gate>> = Vec::new();
        let mut paths: Vec<Vec<Path>> = Vec::new();
        for (first, ways) in ways {
            let mut here = Vec::new();
            let mut offers = Vec::new();
            for way in ways {
                offers.extend(way.offers);
                if way.last {
                    continue;
                }
                let number = |gate| gates.number(gate, layout).map_or(0, |n| 1 << n);
                let shut = way.gates.iter().map(number).fold(0, |set: Set, gate: Set| set | gate);
                let targets = way.access.targets.iter().map(|at| (first + at) as u32).collect();
                here.push(Path { gates: shut, does: Future::of(way.access), targets });
            }
            paths.push(here);
            offered.push(offers);
        }
        if gates.is_empty() {
            return None;
        }
        let set = |offers: Vec<_>| offers.iter().filter_map(|gate| gates.known(gate)).fold(0, |set, n| set | 1 << n);
        let offers: Vec<Set> = offered.into_iter().map(set).collect();
        let mut opens = vec![0; resources.len];
        for (gate, number) in gates.iter() {
            gate.opened_by(resources).into_iter().for_each(|n| opens[n] |= 1 << number);
        }
        let rows = 2 * steps.len();
        let none = || vec![Bits::new(rows); resources.len];
        let mut futures = Futures {
            ahead: Vec::new(),
            gates,
            paths,
            offers,
            opens,
            readers: none(),
            writers: none(),
            adders: none(),
            rows,
        };
        futures.look_ahead();
        futures.index(steps);
        Some(futures)
    }

    fn look_ahead(&mut self) {
        self.ahead = self.paths.iter().map(|paths| paths.iter().fold(0, |set, path| set | path.gates)).collect();
        let mut grown = true;
        while grown {
            grown = false;
            for place in (0..self.paths.len()).rev() {
                let mut set = self.ahead[place];
                for target in self.paths[place].iter().flat_map(|path| &path.targets) {
                    set |= self.ahead[*target as usize];
                }
                grown |= set != self.ahead[place];
                self.ahead[place] = set;
            }
        }
    }

    /// The rows are two for each place: if its process can't move, and if it can.
    fn index(&mut self, steps: &[Access]) {
        for (place, step) in steps.iter().enumerate() {
            for able in [false, true] {
                let row = 2 * place + usize::from(able);
                for n in step.writes.iter() {
                    self.readers[n].insert(row);
                    self.writers[n].insert(row);
                    self.adders[n].insert(row);
                }
                for n in step.adds.iter() {
                    self.readers[n].insert(row);
                    self.writers[n].insert(row);
                }
                let waits = step.waits.iter().filter(|_| !able || !step.settled);
                for n in step.reads.iter().chain(waits) {
                    self.writers[n].insert(row);
                    self.adders[n].insert(row);
                }
            }
        }
    }

    /// The rows to which something that may be done matters.
    fn concerned(&self, future: &Future) -> Bits {
        let mut rows = Bits::new(self.rows);
        future.reads.iter().for_each(|n| rows.join(&self.readers[n]));
        future.writes.iter().for_each(|n| rows.join(&self.writers[n]));
        future.adds.iter().for_each(|n| rows.join(&self.adders[n]));
        rows
    }

    /// What can be done from a place on while these gates stay shut.
    fn outlook(&self, place: usize, shut: Set) -> Outlook {
        let mut future = Future::new(self.opens.len());
        let mut seen = Bits::new(self.paths.len());
        seen.insert(place);
        let (mut todo, mut opens) = (vec![place as u32], 0);
        while let Some(at) = todo.pop() {
            opens |= self.offers[at as usize];
            for path in self.paths[at as usize].iter().filter(|path| path.gates & shut == 0) {
                future.add(&path.does);
                for target in path.targets.iter().filter(|target| !seen.contains(**target as usize)) {
                    todo.push(*target);
                }
                path.targets.iter().for_each(|target| seen.insert(*target as usize));
            }
        }
        for n in future.writes.iter().chain(future.adds.iter()) {
            opens |= self.opens[n];
        }
        Outlook { opens, concerned: self.concerned(&future) }
    }
}

/// What a process may do from a place on.
#[derive(Debug)]
struct Outlook {
    /// Gates that it may open.
    opens: Set,
    /// The rows to which that matters.
    concerned: Bits,
}

/// Outlooks that were worked out before.
#[derive(Default, Debug)]
struct Memory {
    outlooks: Vec<Outlook>,
    known: HashMap<(u32, Set), u32, BuildHasherDefault<Mixer>>,
    /// The last one asked for, by place.
    recent: Vec<(Set, u32)>,
}

/// When there are more, all are forgotten.
const REMEMBERED: usize = 1 << 14;
const NONE: u32 = u32::MAX;

impl Memory {
    fn prepare(&mut self, places: usize) {
        if self.outlooks.len() > REMEMBERED || self.recent.is_empty() {
            *self = Memory::default();
            self.recent.resize(places, (0, NONE));
        }
    }

    #[inline]
    fn find(&mut self, futures: &Futures, place: usize, shut: Set) -> u32 {
        let shut = shut & futures.ahead[place];
        let (last, at) = self.recent[place];
        if at != NONE && last == shut {
            return at;
        }
        let outlooks = &mut self.outlooks;
        let at = *self.known.entry((place as u32, shut)).or_insert_with(|| {
            outlooks.push(futures.outlook(place, shut));
            outlooks.len() as u32 - 1
        });
        self.recent[place] = (shut, at);
        at
    }

    fn get(&self, at: u32) -> &Outlook {
        &self.outlooks[at as usize]
    }
}

/// Numbers of places and sets of gates are well mixed by two multiplications.
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
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        for half in [n as u64, (n >> 64) as u64] {
            let product = u128::from(self.0 ^ half ^ ODD) * u128::from(ODD);
            self.0 = product as u64 ^ (product >> 64) as u64;
        }
    }
}

/// The gates of one state.
#[derive(Default, Debug)]
pub(super) struct Gated {
    shut: Set,
    /// What each process may do if they all stay shut.
    hopes: Vec<u32>,
    memory: Memory,
}

impl Gated {
    /// Looks at a state with its processes at these places.
    pub fn read(&mut self, futures: &Futures, state: &[u8], places: &[usize]) {
        let Gated { shut, hopes, memory } = self;
        memory.prepare(futures.paths.len());
        let offered = places.iter().fold(0, |set, place| set | futures.offers[*place]);
        *shut = futures.gates.shut(state, offered);
        hopes.clear();
        hopes.extend(places.iter().map(|place| memory.find(futures, *place, *shut)));
    }

    /// Those of the candidates who may do something that matters to a row, though all gates stay shut.
    pub fn at_once(&self, candidates: u64, row: usize) -> u64 {
        self.concerning(candidates, row, |pid| self.hopes[pid])
    }

    /// The same if only these gates stay shut.
    pub fn while_shut(&mut self, futures: &Futures, candidates: u64, row: usize, shut: Set, places: &[usize]) -> u64 {
        let mut all = 0;
        for pid in members(candidates) {
            let outlook = self.memory.find(futures, places[pid], shut);
            all |= self.concerning(1 << pid, row, |_| outlook);
        }
        all
    }

    fn concerning(&self, candidates: u64, row: usize, outlook: impl Fn(usize) -> u32) -> u64 {
        let concerns = |pid: &usize| self.memory.get(outlook(*pid)).concerned.contains(row);
        members(candidates).filter(concerns).fold(0, |set, pid| set | 1 << pid)
    }

    /// Which gates nobody opens who is not in the set: those that are shut, but for those that somebody may open whom
    /// the others do not stop. None if these are all.
    pub fn stay(&mut self, futures: &Futures, set: u64, places: &[usize]) -> Option<Set> {
        let others = members(!set & (u64::MAX >> (64 - places.len())));
        let opened = others.clone().fold(0, |all, pid| all | self.memory.get(self.hopes[pid]).opens);
        let mut shut = self.shut & !opened;
        if shut == self.shut {
            return None;
        }
        loop {
            let opens = |all, pid: usize| {
                let outlook = self.memory.find(futures, places[pid], shut);
                all | self.memory.get(outlook).opens
            };
            let opened = others.clone().fold(0, opens);
            if shut & opened == 0 {
                return Some(shut);
            }
            shut &= !opened;
        }
    }
}
