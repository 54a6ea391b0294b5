//! Dependency structure: nested searches in an order that a structure of dependent states determines.
//!
//! J. Barnat, L. Brim and J. Stříbrná, "Distributed LTL model-checking in SPIN", SPIN 2001.
//!
//! Nested depth-first search begins its nested searches in postorder: that of an accepting state, its *seed*, after those of all seeds
//! that it reaches. Several ranks that search at once have no common postorder. They keep a structure in its place. Its vertices are the
//! accepting states, the border states (those that another rank leads to) and states at which paths within a rank meet; an edge
//! is a path between two vertices without another one, so the structure has the cycles through accepting states that the graph has. A
//! vertex is removed when all vertices that it depends on are removed: no cycle leads through it.
//!
//! What is left depends on cycles. One seed at a time is searched from, in the structure. If the search meets another seed, the
//! first one waits for it; if that one waits already, it is on an accepting cycle, and so is a seed that is reached by its own search. A search that
//! ends without either has shown that no accepting cycle leads through any vertex it has visited: all are removed, and others may follow.
//! In the paper the structure grows during the exploration; here it is built afterwards, when the border states are known. It is large: every
//! vertex has references to those that it depends on and to those that depend on it.

use kripke_model::Flags;

use super::{Verdict, owcty};
use crate::levels::{Expanded, Explored, explore};
use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::wire::Reader;

const DEPENDS: u8 = 1;
const TARGET: u8 = 2;
const RELEASE: u8 = 3;
const VISIT: u8 = 4;

/// The vertex of a state that no vertex has led to.
const UNREACHED: u32 = u32::MAX;

/// What the exploration notes about each state.
#[derive(Default)]
struct Noted {
    accepting: Vec<bool>,
    border: Vec<bool>,
}

fn set(flags: &mut Vec<bool>, number: u32, value: bool) {
    let number = number as usize;
    if flags.len() <= number {
        flags.resize(number + 1, false);
    }
    flags[number] = value;
}

impl Expanded for Noted {
    fn note(&mut self, number: u32, flags: Flags) {
        set(&mut self.accepting, number, flags.accepting);
    }

    fn receive(&mut self, number: u32) {
        set(&mut self.border, number, true);
    }
}

/// The part of the structure that a rank has, by the numbers of its states.
struct Structure {
    accepting: Vec<bool>,
    is_vertex: Vec<bool>,
    /// The vertices that a vertex depends on, and those that depend on it.
    depends: Vec<Vec<StateRef>>,
    dependent: Vec<Vec<StateRef>>,
    /// The number of vertices that a vertex depends on and that are not removed.
    open: Vec<u32>,
    removed: Vec<bool>,
    /// The last search that has visited a vertex.
    visited: Vec<u32>,
    searches: u32,
    /// All accepting states before this one are removed.
    first: u32,
    /// Seeds, each of which waits for the next one. All ranks have the same.
    waiting: Vec<StateRef>,
    /// Whether a state of this rank is one of them.
    waits: Vec<bool>,
}

pub(super) fn run(rank: &mut Rank<'_>) -> Result<Verdict, Stop> {
    let mut noted = Noted::default();
    match explore(rank, &mut noted)? {
        Explored::All => {}
        Explored::Error => return Ok(Verdict::Error),
        Explored::Depth => return Ok(Verdict::Depth),
    }
    let mut structure = Structure::new(noted, rank.table.len());
    structure.build(rank)?;
    let leaves = (0..rank.table.len() as u32).filter(|n| structure.is_leaf(*n)).collect();
    structure.remove(rank, leaves)?;
    while let Some(seed) = structure.next_seed(rank)? {
        if let Some(found) = structure.search_from(rank, seed)? {
            return Ok(Verdict::Cycle(found));
        }
    }
    owcty::certificate(rank)
}

impl Structure {
    fn new(noted: Noted, states: usize) -> Structure {
        let Noted { mut accepting, mut border } = noted;
        accepting.resize(states, false);
        border.resize(states, false);
        Structure {
            is_vertex: accepting.iter().zip(&border).map(|(accepting, border)| *accepting || *border).collect(),
            accepting,
            depends: vec![Vec::new(); states],
            dependent: vec![Vec::new(); states],
            open: vec![0; states],
            removed: vec![false; states],
            visited: vec![0; states],
            searches: 0,
            first: 0,
            waiting: Vec::new(),
            waits: vec![false; states],
        }
    }

    fn build(&mut self, rank: &mut Rank<'_>) -> Result<(), Stop> {
        let states = self.is_vertex.len();
        let vertices: Vec<u32> = (0..states as u32).filter(|number| self.is_vertex[*number as usize]).collect();
        rank.run(&mut Build { of: vec![UNREACHED; states], vertices, stack: Vec::new(), vertex: 0, structure: self })?;
        rank.appendix_bytes = self.memory();
        Ok(())
    }

    fn memory(&self) -> u64 {
        let lists = self.depends.iter().chain(&self.dependent);
        let references: usize = lists.map(|list| 24 + 8 * list.capacity()).sum();
        (references + 12 * self.open.len()) as u64
    }

    fn add_dependency(&mut self, vertex: u32, on: StateRef) {
        self.depends[vertex as usize].push(on);
        self.open[vertex as usize] += 1;
    }

    fn is_leaf(&self, number: u32) -> bool {
        let number = number as usize;
        self.is_vertex[number] && self.open[number] == 0 && !self.removed[number]
    }

    /// Removes vertices, and then those that depend on no others any more.
    fn remove(&mut self, rank: &mut Rank<'_>, vertices: Vec<u32>) -> Result<(), Stop> {
        vertices.iter().for_each(|number| self.removed[*number as usize] = true);
        rank.run(&mut Remove { structure: self, queue: vertices })?;
        Ok(())
    }

    /// The seed to search from: the last one that waits, or else any that is left. None if there is none.
    fn next_seed(&mut self, rank: &mut Rank<'_>) -> Result<Option<StateRef>, Stop> {
        if let Some(last) = self.waiting.last() {
            return Ok(Some(*last));
        }
        let is_seed = |number: &u32| self.accepting[*number as usize] && !self.removed[*number as usize];
        let mine = (self.first..self.accepting.len() as u32).find(is_seed);
        self.first = mine.unwrap_or(self.accepting.len() as u32);
        let mine = mine.map(|number| rank.reference(number));
        let seed = rank.least(mine)?;
        self.add_waiting(rank, seed);
        Ok(seed)
    }

    fn add_waiting(&mut self, rank: &Rank<'_>, seed: Option<StateRef>) {
        self.waiting.extend(seed);
        if let Some(seed) = seed.filter(|seed| seed.rank == rank.number()) {
            self.waits[seed.number as usize] = true;
        }
    }

    fn remove_waiting(&mut self, rank: &Rank<'_>) {
        if let Some(seed) = self.waiting.pop().filter(|seed| seed.rank == rank.number()) {
            self.waits[seed.number as usize] = false;
        }
    }

    /// Searches from a seed, the last one that waits. Returns a state on an accepting cycle if it has found one.
    fn search_from(&mut self, rank: &mut Rank<'_>, seed: StateRef) -> Result<Option<StateRef>, Stop> {
        self.searches += 1;
        let mut search =
            Search { structure: self, visited: Vec::new(), queue: Vec::new(), on_cycle: None, other: None };
        if seed.rank == rank.number() {
            search.queue.push(seed.number);
        }
        let is_stopped = rank.run(&mut search)?;
        let Search { mut visited, on_cycle, other, .. } = search;
        if is_stopped {
            let (found, other) = (rank.least(on_cycle)?, rank.least(other)?);
            self.add_waiting(rank, other.filter(|_| found.is_none()));
            return Ok(found);
        }
        if seed.rank == rank.number() {
            visited.push(seed.number);
        }
        self.remove_waiting(rank);
        self.remove(rank, visited)?;
        self.forget_removed(rank)?;
        Ok(None)
    }

    /// Forgets the seeds that wait and were removed meanwhile.
    fn forget_removed(&mut self, rank: &mut Rank<'_>) -> Result<(), Stop> {
        while let Some(last) = self.waiting.last().copied() {
            let here = last.rank == rank.number() && self.removed[last.number as usize];
            if rank.net.sum([u64::from(here)])? == [0] {
                break;
            }
            self.remove_waiting(rank);
        }
        Ok(())
    }
}

/// Finds the vertices that each vertex depends on, by a search that ends at vertices. A state that the searches of two vertices reach becomes
/// a vertex, so no state is expanded more than twice.
struct Build<'s> {
    structure: &'s mut Structure,
    /// The vertex whose search has reached a state.
    of: Vec<u32>,
    vertices: Vec<u32>,
    /// The vertex of the search that goes on, and its open states.
    vertex: u32,
    stack: Vec<u32>,
}

impl Build<'_> {
    /// Follows a transition to a state of this rank.
    fn follow(&mut self, rank: &Rank<'_>, to: u32) {
        let index = to as usize;
        if !self.structure.is_vertex[index] {
            match self.of[index] {
                UNREACHED => {
                    self.of[index] = self.vertex;
                    return self.stack.push(to);
                }
                of if of == self.vertex => return,
                _ => {
                    self.structure.is_vertex[index] = true;
                    self.vertices.push(to);
                }
            }
        }
        self.structure.add_dependency(self.vertex, rank.reference(to));
        self.structure.dependent[index].push(rank.reference(self.vertex));
    }
}

impl Phase for Build<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        match (record.byte(), record.number()) {
            (Some(DEPENDS), Some(vertex)) => {
                let by = StateRef { rank: from, number: vertex as u32 };
                if let Some(number) = rank.table.find(record.rest(), hash(record.rest())) {
                    self.structure.dependent[number as usize].push(by);
                    rank.send_number(TARGET, &[u64::from(number)], by)?;
                }
            }
            (Some(TARGET), Some(number)) => {
                if let Some(vertex) = record.number() {
                    self.structure.add_dependency(vertex as u32, StateRef { rank: from, number: number as u32 });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let number = match (self.stack.pop(), self.vertices.is_empty()) {
            (Some(number), _) => number,
            (None, true) => return Ok(false),
            (None, false) => {
                self.vertex = self.vertices.pop().unwrap_or(UNREACHED);
                self.vertex
            }
        };
        let (_, batch) = rank.expand(number);
        for state in batch.states() {
            let (owner, hash) = rank.owner(state);
            if owner != rank.net.rank() {
                rank.send_state(DEPENDS, &[u64::from(self.vertex)], state)?;
            } else if let Some(to) = rank.table.find(state, hash) {
                self.follow(rank, to);
            }
        }
        rank.recycle(batch);
        Ok(true)
    }
}

/// Tells the vertices that depend on removed ones.
struct Remove<'s> {
    structure: &'s mut Structure,
    queue: Vec<u32>,
}

impl Phase for Remove<'_> {
    fn take(&mut self, _: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(RELEASE), Some(number)) = (record.byte(), record.number()) {
            self.structure.open[number as usize] -= 1;
            if self.structure.is_leaf(number as u32) {
                self.structure.removed[number as usize] = true;
                self.queue.push(number as u32);
            }
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(number) = self.queue.pop() else { return Ok(false) };
        for to in std::mem::take(&mut self.structure.dependent[number as usize]) {
            rank.send_number(RELEASE, &[], to)?;
        }
        Ok(true)
    }
}

/// The search from one seed.
struct Search<'s> {
    structure: &'s mut Structure,
    visited: Vec<u32>,
    queue: Vec<u32>,
    /// A seed that reaches itself, and a seed for which this one has to wait.
    on_cycle: Option<StateRef>,
    other: Option<StateRef>,
}

impl Phase for Search<'_> {
    fn take(&mut self, rank: &mut Rank<'_>, _: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        let (Some(VISIT), Some(number)) = (record.byte(), record.number()) else { return Ok(()) };
        let (index, at) = (number as usize, rank.reference(number as u32));
        if self.structure.waits[index] {
            // The seed itself is the last one that waits; the others reach it.
            self.on_cycle = Some(at);
            return Ok(rank.end_phase()?);
        }
        let is_known = self.structure.visited[index] == self.structure.searches;
        if self.structure.removed[index] || is_known {
            return Ok(());
        }
        if self.structure.accepting[index] {
            self.other = Some(at);
            return Ok(rank.end_phase()?);
        }
        self.structure.visited[index] = self.structure.searches;
        self.visited.push(number as u32);
        self.queue.push(number as u32);
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        let Some(number) = self.queue.pop() else { return Ok(false) };
        for to in &self.structure.depends[number as usize] {
            rank.send_number(VISIT, &[], *to)?;
        }
        Ok(true)
    }
}
