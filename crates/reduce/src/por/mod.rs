//! Which processes can go first: partial-order reduction.
//!
//! In a state it is enough to look at the moves of some processes (an *ample* set) if whatever the others do before one
//! of them moves neither makes a move of theirs possible or impossible, nor changes what it does. So a set of processes
//! is closed: for each of its members it has every process that now or later can do something that matters to what the
//! member can do next. (These are Valmari's stubborn sets, with a process in place of all its next moves, found as
//! Godefroid and Overman do; for processes that own their ends of channels they come to the safe statements of Holzmann
//! and Peled 1994.) What matters to whom is worked out once, per process and location, from what steps read, write, add
//! to and wait for; in a state only bits are looked up, and where these do not single somebody out, what others can't do
//! yet (`gates`). A receive that can be taken is not disturbed by sends, nor a send by receives; who waits for something
//! needs those that can give it.
//!
//! Two more conditions make this sound for more than deadlocks:
//! - A set whose moves change what the property speaks of is not used (unless it has everybody).
//! - Nobody who could still do something wrong, or visible, is put off for ever. A search that looks for errors sees to
//!   that itself: it takes the rest, too, where none of the ample moves leads to a state yet to be expanded. Where cycles
//!   are looked for, every cycle needs a state of which nothing was left out: no set is used whose moves close a circle of a
//!   process. That depends on the state alone, so every search, in any order, on any number of cores, sees one graph.

mod access;
mod audit;
mod bits;
mod guards;
mod instances;
mod reachable_accesses;
mod reduced;
mod resources;

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use access::{Access, Asked, Reader, Way};
pub use audit::{Audit, Record};
use bits::Bits;
use instances::{Actor, Cast};
use reachable_accesses::{Future, Futures, Gated};
pub use reduced::Reduced;
use resources::Resources;

use kripke_model::interpret::Interpreter;
use kripke_model::ir::{EdgeId, Expr, LocId, Model, Process, Scheduling, Sync, Then};
use kripke_model::layout::Layout;
use kripke_model::{Parts, Standing, State};

/// The reason if there is nothing to be gained.
pub const HOPELESS: &str = "every step may get in the way of every process";

/// More locations of processes than this are not compared with each other.
const PLACES: usize = 1 << 13;
/// Nor so many that this times what steps read and write is more.
const PAIRS: usize = 1 << 26;
/// Nor if it takes more steps to find out what they read and write: each location in a long atomic sequence begins one.
const STEPS: usize = 1 << 23;

/// What the search has to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeping {
    /// Everything that is wrong in some state, or some step.
    Errors,
    /// Runs that never end.
    Runs,
}

/// What is known, before the search, about who gets into whose way.
#[derive(Debug)]
pub struct Independence {
    numbered: bool,
    keeping: Keeping,
    /// The first place of each actor. A place is an actor at a location.
    first: Vec<u32>,
    places: Vec<Traits>,
    /// For each place two rows, with a bit for every place that matters to it: if its process can't move, and if it can.
    rows: Vec<u64>,
    words: usize,
    /// The same by numbers of processes: those that matter wherever they are, and those that may.
    masks: Vec<(u64, u64)>,
    /// If some things can't be done before others are, as can be seen in a state.
    futures: Option<Futures>,
    /// Whether moves were ever left out.
    served: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Traits {
    /// Moves from here change what the property speaks of, or close a circle where that counts.
    barred: bool,
    /// From here others are moved, or the process is by others, in a rendezvous.
    moves_others: bool,
    is_moved: bool,
    leaves: bool,
    /// Something that counts may yet happen.
    matters: bool,
    /// Processes can still be created, so it is not known who will be there.
    early: bool,
}

impl Independence {
    /// Looks at a model. The reason, if nothing can be left out.
    pub fn of(model: &std::sync::Arc<Model>, keeping: Keeping) -> Result<Independence, &'static str> {
        obstacle(model)?;
        // What the property asks is no part of the system's beginning.
        let bare = Model { observer: None, goal: None, properties: Vec::new(), ..(**model).clone() };
        let interpreter = Interpreter::new(bare.into()).map_err(|_| "the model can't be run")?;
        let cast = Cast::of(&interpreter);
        let places = cast.actors.iter().map(|a| model.processes[a.process].locations.len()).sum::<usize>();
        if places > PLACES {
            return Err("there are too many processes and locations");
        }
        let resources = Resources::new(model, &cast);
        if places.saturating_mul(resources.len) > PAIRS {
            return Err("there are too many variables and locations");
        }
        let asked = asked(model);
        let traced = traced(model, &cast, &resources);
        let mut table = Table {
            model,
            cast: &cast,
            resources: &resources,
            asked: &asked,
            traced: &traced,
            first: Vec::new(),
            steps: Vec::new(),
            ways: Vec::new(),
            looked: Cell::new(0),
        };
        table.fill()?;
        let layout = Layout::new(model).map_err(|_| "the model can't be run")?;
        let independence = table.finish(keeping, &layout);
        if independence.is_hopeless() { Err(HOPELESS) } else { Ok(independence) }
    }

    /// Can no set ever be closed without everybody in it?
    fn is_hopeless(&self) -> bool {
        if !self.numbered || self.first.len() > 64 {
            return false;
        }
        let all = u64::MAX >> (64 - self.first.len().max(1));
        let places = |pid: usize| {
            self.first[pid] as usize..self.first.get(pid + 1).map_or(self.places.len(), |end| *end as usize)
        };
        // Whoever may be held back at a gate need not come along.
        let gated = |pid: usize| self.futures.as_ref().is_some_and(|f| places(pid).any(|place| f.ahead[place] != 0));
        let free = (0..self.first.len()).filter(|pid| !gated(*pid)).fold(0, |set, pid| set | 1u64 << pid);
        // Who matters to a process wherever it is and whether or not it can move.
        let least =
            |pid: usize| places(pid).fold(free, |least, p| least & self.masks[2 * p].0 & self.masks[2 * p + 1].0);
        let least: Vec<u64> = (0..self.first.len()).map(least).collect();
        let closes = |pid: usize, place: usize| {
            let (mut set, mut seen) = (self.masks[2 * place + 1].0 & free | 1 << pid, 1u64 << pid);
            while set & !seen != 0 {
                let other = (set & !seen).trailing_zeros() as usize;
                seen |= 1 << other;
                set |= least[other];
            }
            set & all == all
        };
        (0..self.first.len()).all(|pid| places(pid).all(|place| self.places[place].barred || closes(pid, place)))
    }

    fn serve(&self) {
        // Others look at the same memory: not to be written without need.
        if !self.has_served() {
            self.served.store(true, Ordering::Relaxed);
        }
    }

    /// Whether moves were ever left out because of it.
    pub fn has_served(&self) -> bool {
        self.served.load(Ordering::Relaxed)
    }

    /// Which processes to look at, as a set of their numbers, and whether the search must see to it that the others get
    /// their turn. None if all. Gates are looked at if that is wanted, and if less will not do.
    pub fn choose(
        &self,
        state: &State,
        parts: &Parts,
        movers: &mut Movers,
        gates: impl FnOnce() -> bool,
    ) -> Option<Chosen> {
        movers.read(self, parts)?;
        let mut best = self.least(movers, |movers, closing, lost| self.close(movers, closing, lost));
        let mut saved_by_gates = 0;
        let futures = self.futures.as_ref().filter(|_| best.is_none_or(|(moves, _)| moves > 1) && gates());
        if let Some(futures) = futures {
            movers.gated.read(futures, state, &movers.places);
            let gated = self.least(movers, |movers, closing, lost| self.close_gated(futures, movers, closing, lost));
            let before = best.map_or(movers.moves(u64::MAX), |(moves, _)| moves);
            best = best.into_iter().chain(gated).min();
            saved_by_gates = best.map_or(0, |(moves, _)| before - moves);
        }
        let (_, set) = best?;
        let matters = |&(pid, place): &(usize, usize)| set >> pid & 1 == 0 && self.places[place].matters;
        let watched = self.keeping == Keeping::Errors && movers.standing().any(|at| matters(&at));
        Some(Chosen { set, watched, saved_by_gates })
    }

    /// The closed set with the fewest moves, and how many. Only sets around those who can move are tried.
    fn least(
        &self,
        movers: &mut Movers,
        close: impl Fn(&mut Movers, &mut Closing, u64) -> Option<()>,
    ) -> Option<(usize, u64)> {
        let mut best: Option<(usize, u64)> = None;
        // No set with one of these will do.
        let mut lost = 0;
        for pid in (0..movers.places.len()).rev() {
            if movers.can_move >> pid & 1 == 0 {
                continue;
            }
            let mut closing = Closing::around(pid);
            if close(movers, &mut closing, lost).is_none() {
                lost |= 1 << pid;
                continue;
            }
            let moves = movers.moves(closing.set);
            if best.is_none_or(|(least, _)| moves < least) {
                best = Some((moves, closing.set));
            }
            if moves == 1 {
                break;
            }
        }
        best
    }

    /// Adds everybody who matters. None if the set has everybody who can move then, or may not be used; so it is if it has
    /// one who is `lost`, of whom that is known.
    fn close(&self, movers: &Movers, closing: &mut Closing, lost: u64) -> Option<()> {
        while let Some(member) = closing.next() {
            let row = self.join(movers, closing, member)?;
            closing.add(self.matter(movers, row) | self.leavers(movers, member));
            closing.is_usable(movers, lost)?;
        }
        Some(())
    }

    /// The same, but those are left out who can't do what matters before a member of the set moves.
    fn close_gated(&self, futures: &Futures, movers: &mut Movers, closing: &mut Closing, lost: u64) -> Option<()> {
        loop {
            // As if all gates that are shut stayed so.
            while let Some(member) = closing.next() {
                let row = self.join(movers, closing, member)?;
                let more = self.matter(movers, row) & !closing.set;
                closing.add(movers.gated.at_once(more, row) | self.leavers(movers, member));
                closing.is_usable(movers, lost)?;
            }
            let Some(stay) = movers.gated.stay(futures, closing.set, &movers.places) else { return Some(()) };
            // They do not: somebody outside may open one.
            for member in members(closing.set) {
                let row = movers.row(member);
                let more = self.matter(movers, row) & !closing.set;
                let more = movers.gated.while_shut(futures, more, row, stay, &movers.places);
                closing.add(more);
            }
            if closing.todo == 0 {
                return Some(());
            }
            // Sets with others in them may be smaller than sets without.
            closing.is_usable(movers, 0)?;
        }
    }

    /// Takes a process into a set. Its row, unless the set may not be used any more.
    fn join(&self, movers: &Movers, closing: &mut Closing, member: usize) -> Option<usize> {
        let (traits, able) = (self.places[movers.places[member]], movers.is_able(member));
        // Whoever waits for a rendezvous is moved by others.
        closing.moves_others |= able && traits.moves_others;
        closing.barred |= traits.is_moved && traits.barred;
        let barred = able && traits.barred || closing.moves_others && closing.barred;
        (!barred).then(|| movers.row(member))
    }

    /// Who may do something that matters to a row.
    fn matter(&self, movers: &Movers, number: usize) -> u64 {
        let (always, mut perhaps) = self.masks[number];
        let mut all = always & movers.alive;
        perhaps &= movers.alive;
        let row = &self.rows[number * self.words..];
        for pid in members(perhaps) {
            let other = movers.places[pid];
            all |= (row[other / 64] >> (other % 64) & 1) << pid;
        }
        all
    }

    /// Whoever wants to leave waits for those who came later.
    fn leavers(&self, movers: &Movers, member: usize) -> u64 {
        let waits = self.places[movers.places[member]].leaves && !movers.is_able(member);
        u64::from(waits) << (movers.places.len() - 1)
    }

    fn place(&self, pid: usize, standing: Standing) -> Option<usize> {
        let actor = if self.numbered { pid } else { standing.process as usize };
        Some(*self.first.get(actor)? as usize + standing.location as usize)
    }
}

/// A choice of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chosen {
    pub set: u64,
    /// Somebody left out may yet do something that counts.
    pub watched: bool,
    /// How many moves are left out only because gates are shut.
    pub saved_by_gates: usize,
}

/// A set of processes in the making.
struct Closing {
    set: u64,
    /// Members that were not looked at yet.
    todo: u64,
    moves_others: bool,
    barred: bool,
}

impl Closing {
    fn around(pid: usize) -> Closing {
        Closing { set: 1 << pid, todo: 1 << pid, moves_others: false, barred: false }
    }

    fn next(&mut self) -> Option<usize> {
        let member = members(self.todo).next();
        self.todo &= self.todo.wrapping_sub(1);
        member
    }

    fn add(&mut self, more: u64) {
        self.todo |= more & !self.set;
        self.set |= more;
    }

    fn is_usable(&self, movers: &Movers, lost: u64) -> Option<()> {
        (self.set & lost == 0 && self.set & movers.can_move != movers.can_move).then_some(())
    }
}

/// The numbers in a set.
fn members(mut set: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}

/// Who can move in a state. Reused from state to state.
#[derive(Default, Debug)]
pub struct Movers {
    places: Vec<usize>,
    /// How many moves each has.
    moves: Vec<usize>,
    can_move: u64,
    alive: u64,
    gated: Gated,
}

impl Movers {
    /// None if there is no choice.
    fn read(&mut self, independence: &Independence, parts: &Parts) -> Option<()> {
        let processes = parts.standing.len();
        if processes > 64 {
            return None;
        }
        self.moves.clear();
        self.moves.resize(processes, 0);
        self.can_move = 0;
        let mut start = parts.first;
        for &(pid, end) in &parts.ends {
            self.moves[usize::from(pid)] += end - start;
            self.can_move |= u64::from(end > start) << pid;
            start = end;
        }
        if self.can_move.count_ones() < 2 {
            return None;
        }
        self.alive = u64::MAX >> (64 - processes);
        self.places.clear();
        for (pid, standing) in parts.standing.iter().enumerate() {
            let place = independence.place(pid, *standing)?;
            if independence.places[place].early {
                return None;
            }
            self.places.push(place);
        }
        Some(())
    }

    fn is_able(&self, pid: usize) -> bool {
        self.can_move >> pid & 1 == 1
    }

    fn row(&self, pid: usize) -> usize {
        2 * self.places[pid] + usize::from(self.is_able(pid))
    }

    fn standing(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.places.iter().copied().enumerate()
    }

    fn moves(&self, set: u64) -> usize {
        self.moves.iter().enumerate().filter(|(pid, _)| set >> pid & 1 == 1).map(|(_, moves)| moves).sum()
    }
}

/// What makes steps depend on more than is worked out here.
fn obstacle(model: &Model) -> Result<(), &'static str> {
    if model.scheduling != Scheduling::Interleaved {
        return Err("all processes move at once");
    }
    if model.uses_priorities {
        return Err("processes have priorities");
    }
    if model.uses_last {
        return Err("the model asks who moved last");
    }
    if model.asks_timeout() {
        return Err("the property asks whether anybody can move");
    }
    let mut why = Ok(());
    let mut see = |expr: &Expr| match expr {
        Expr::Enabled(_) => why = Err("the model asks whether a process can move"),
        Expr::Location(_) => why = Err("the model asks where a process is"),
        Expr::ObserverAt(_) => why = Err("the model asks where the property's automaton is"),
        _ => {}
    };
    model.processes.iter().for_each(|p| p.walk(&mut see));
    model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
    model.goal.iter().for_each(|g| g.condition.walk(&mut see));
    why
}

/// Which channels a trace watches.
fn traced(model: &Model, cast: &Cast, resources: &Resources) -> HashSet<usize> {
    let automata = model.trace.iter().map(|trace| &trace.automaton);
    let syncs = automata.flat_map(|automaton| &automaton.edges).filter_map(|edge| edge.sync.as_ref());
    let channels = syncs.map(|(Sync::Send { channel, .. } | Sync::Receive { channel, .. })| channel);
    channels.flat_map(|channel| resources.channels(model, cast, channel, None)).collect()
}

/// Which locations somebody asks about.
fn asked(model: &Model) -> Asked {
    let mut asked: Asked = vec![HashSet::new(); model.processes.len()];
    let mut progress = false;
    let mut see = |expr: &Expr| match expr {
        Expr::At { process, locations, .. } => asked[process.index()].extend(locations),
        Expr::NonProgress => progress = true,
        _ => {}
    };
    model.processes.iter().for_each(|p| p.walk(&mut see));
    model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
    model.goal.iter().for_each(|g| g.condition.walk(&mut see));
    let accept = model.observer.as_ref().is_some_and(|o| o.labels);
    for (asked, process) in asked.iter_mut().zip(&model.processes) {
        for (at, location) in process.locations.iter().enumerate() {
            if progress && location.progress || accept && location.accept {
                asked.insert(LocId(at as u32));
            }
        }
    }
    asked
}

/// All steps, in the making.
struct Table<'m> {
    model: &'m Model,
    cast: &'m Cast,
    resources: &'m Resources,
    asked: &'m Asked,
    traced: &'m HashSet<usize>,
    first: Vec<u32>,
    steps: Vec<Access>,
    /// The ways from each place, and where the places of its process begin.
    ways: Vec<(usize, Vec<Way>)>,
    /// How many edges were looked at.
    looked: Cell<usize>,
}

impl Table<'_> {
    fn reader<'a>(&'a self, actor: Option<&'a Actor>) -> Reader<'a> {
        Reader {
            model: self.model,
            cast: self.cast,
            resources: self.resources,
            asked: self.asked,
            committed: self.model.processes.iter().flat_map(|p| &p.locations).any(|l| l.committed),
            claims: self.model.processes.iter().any(|p| !p.claims.is_empty()),
            traced: self.traced,
            looked: &self.looked,
            actor,
        }
    }

    fn fill(&mut self) -> Result<(), &'static str> {
        let back: Vec<HashSet<EdgeId>> = self.model.processes.iter().map(closing).collect();
        for actor in &self.cast.actors {
            let process = &self.model.processes[actor.process];
            let first = self.steps.len();
            self.first.push(first as u32);
            let reader = self.reader(Some(actor));
            let mut found = Vec::new();
            for (at, stands) in standing(process).into_iter().enumerate() {
                found.push(match stands {
                    true => reader.location(process, actor.process, LocId(at as u32), &back[actor.process]),
                    false => (Access::new(self.resources, 0), Vec::new()),
                });
                if self.looked.get() > STEPS {
                    return Err("atomic sequences are too long");
                }
            }
            for (access, ways) in found {
                self.steps.push(access);
                self.ways.push((first, ways));
            }
        }
        Ok(())
    }

    /// What the property speaks of.
    fn spoken_of(&self) -> Bits {
        let mut access = Access::new(self.resources, 0);
        let reader = self.reader(None);
        let mut see = |expr: &Expr| reader.read(expr, &mut access);
        self.model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
        self.model.goal.iter().for_each(|g| g.condition.walk(&mut see));
        for (process, asked) in self.asked.iter().enumerate() {
            let labelled = |at: &LocId| {
                let location = &self.model.processes[process].locations[at.index()];
                location.progress || location.accept
            };
            if self.model.observer.is_some() && asked.iter().any(labelled) {
                access.reads.insert(Resources::location(process));
            }
        }
        access.reads
    }

    fn finish(mut self, keeping: Keeping, layout: &Layout) -> Independence {
        let spoken_of = self.spoken_of();
        let changes = |step: &Access| step.writes.meets(&spoken_of) || step.adds.meets(&spoken_of);
        let mut places: Vec<Traits> = Vec::new();
        for step in &self.steps {
            let visible = changes(step);
            places.push(Traits {
                barred: visible || keeping == Keeping::Runs && step.circular,
                moves_others: step.moves_others,
                is_moved: step.is_moved,
                leaves: step.leaves,
                matters: visible || step.risky,
                early: false,
            });
        }
        for (&first, actor) in self.first.iter().zip(&self.cast.actors) {
            for (at, early) in actor.early.iter().enumerate() {
                places[first as usize + at].early = *early;
            }
        }
        let futures = self.futures(&mut places);
        let words = self.steps.len().div_ceil(64);
        let users = Users::new(&futures, self.resources.len);
        let mut rows = Vec::with_capacity(2 * words * self.steps.len());
        for step in &self.steps {
            for able in [false, true] {
                let mut row = Bits::new(self.steps.len());
                users.conflicts(step, !able || !step.settled, &mut row);
                rows.extend_from_slice(row.words());
            }
        }
        let masks = rows.chunks(words.max(1)).map(|row| self.masks(row)).collect();
        let numbered = self.cast.numbered;
        let ways = std::mem::take(&mut self.ways);
        let futures = if numbered { Futures::new(ways, &self.steps, self.resources, layout) } else { None };
        let served = AtomicBool::new(false);
        Independence { numbered, keeping, first: self.first, places, rows, words, masks, futures, served }
    }

    /// Which processes matter by a row: wherever they are, and in some places.
    fn masks(&self, row: &[u64]) -> (u64, u64) {
        if !self.cast.numbered {
            return (0, u64::MAX);
        }
        let (mut always, mut perhaps) = (0, 0);
        for (pid, &first) in self.first.iter().enumerate().take(64) {
            let end = self.first.get(pid + 1).map_or(self.steps.len(), |end| *end as usize);
            let marked = (first as usize..end).filter(|place| row[place / 64] >> (place % 64) & 1 == 1).count();
            always |= u64::from(marked == end - first as usize) << pid;
            perhaps |= u64::from(marked > 0 && marked < end - first as usize) << pid;
        }
        (always, perhaps)
    }

    /// For each place what its process can do from there on, now or later, and those it creates.
    fn futures(&self, places: &mut [Traits]) -> Vec<Future> {
        let future =
            |step: &Access| Future { reads: step.reads.clone(), writes: step.writes.clone(), adds: step.adds.clone() };
        let mut futures: Vec<Future> = self.steps.iter().map(future).collect();
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.steps.len()];
        for (number, actor) in self.cast.actors.iter().enumerate() {
            let first = self.first[number] as usize;
            for at in 0..self.model.processes[actor.process].locations.len() {
                let step = &self.steps[first + at];
                for target in step.targets.iter() {
                    sources[first + target].push(first + at);
                }
                if !self.cast.numbered {
                    for &process in &step.created {
                        let entry = self.model.processes[process].entry.index();
                        sources[self.first[process] as usize + entry].push(first + at);
                    }
                }
            }
        }
        let mut todo: Vec<usize> = (0..futures.len()).rev().collect();
        while let Some(place) = todo.pop() {
            for &source in &sources[place] {
                if source == place {
                    continue;
                }
                let matters = places[place].matters && !places[source].matters;
                places[source].matters |= matters;
                let (from, into) = pair(&mut futures, place, source);
                if into.add(from) || matters {
                    todo.push(source);
                }
            }
        }
        futures
    }
}

fn pair(futures: &mut [Future], from: usize, into: usize) -> (&Future, &mut Future) {
    if from < into {
        let (left, right) = futures.split_at_mut(into);
        (&left[from], &mut right[0])
    } else {
        let (left, right) = futures.split_at_mut(from);
        (&right[0], &mut left[into])
    }
}

/// For each resource the places whose futures read, write or add to it.
struct Users {
    reads: Vec<Bits>,
    writes: Vec<Bits>,
    adds: Vec<Bits>,
}

impl Users {
    fn new(futures: &[Future], resources: usize) -> Users {
        let none = || vec![Bits::new(futures.len()); resources];
        let mut users = Users { reads: none(), writes: none(), adds: none() };
        for (place, future) in futures.iter().enumerate() {
            future.reads.iter().for_each(|n| users.reads[n].insert(place));
            future.writes.iter().for_each(|n| users.writes[n].insert(place));
            future.adds.iter().for_each(|n| users.adds[n].insert(place));
        }
        users
    }

    /// Adds the places that matter to a step, and those it waits for if it does.
    fn conflicts(&self, step: &Access, waits: bool, row: &mut Bits) {
        let mut add = |numbers: &Bits, users: &[&Vec<Bits>]| {
            for n in numbers.iter() {
                users.iter().for_each(|of| row.join(&of[n]));
            }
        };
        add(&step.writes, &[&self.reads, &self.writes, &self.adds]);
        add(&step.adds, &[&self.reads, &self.writes]);
        add(&step.reads, &[&self.writes, &self.adds]);
        if waits {
            add(&step.waits, &[&self.writes, &self.adds]);
        }
    }
}

/// Where the process can be in a state: not inside an indivisible sequence, which is part of the step that begins it.
fn standing(process: &Process) -> Vec<bool> {
    let mut stands = vec![false; process.locations.len()];
    stands[process.entry.index()] = true;
    for edge in process.edges.iter().filter(|edge| edge.chain.is_none() && edge.then != Then::Chain) {
        stands[edge.target.index()] = true;
    }
    stands
}

/// A set of edges that every circle of the process has one of.
fn closing(process: &Process) -> HashSet<EdgeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; process.locations.len()];
    let mut closing = HashSet::new();
    for root in 0..process.locations.len() {
        let mut stack = vec![(root, 0)];
        while let Some((at, next)) = stack.last_mut() {
            marks[*at] = if marks[*at] == Mark::Done { Mark::Done } else { Mark::Open };
            let Some(id) = process.locations[*at].edges.get(*next).filter(|_| marks[*at] != Mark::Done) else {
                marks[*at] = Mark::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let edge = &process.edges[id.index()];
            let target = edge.chain.unwrap_or(edge.target).index();
            match marks[target] {
                Mark::New => stack.push((target, 0)),
                Mark::Open => drop(closing.insert(*id)),
                Mark::Done => {}
            }
        }
    }
    closing
}
