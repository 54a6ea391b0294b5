//! The choice of an ample set in a state.
//!
//! For every enabled process the smallest closed set around it is computed, and the one with the fewest transitions is
//! taken. A set is closed if it contains, for each member, every process on which the member's next transitions depend
//! (C1). A set that contains all enabled processes, a visible transition (C2) or, for LTL, a transition over a back
//! edge (C3) is not used.
//!
//! The first attempt uses the dependence rows alone, which cost a few words for each member. If the result has more than
//! one transition, the second attempt also uses guards that are false in the state ([`reachable_accesses`]). Both are
//! remembered ([`memo`](super::memo)).
//!
//! [`reachable_accesses`]: super::reachable_accesses

use std::borrow::Cow;

use super::governor::Effort;
use super::guards::GuardSet;
use super::memo::{Chosen, Memo, StaticChoice, UseOfGuards};
use super::reachable_accesses::{GuardedPaths, GuardedState};
use super::{Independence, Preserve};
use kripke_model::{Parts, Standing, State};

/// The processes whose transitions are explored in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AmpleSet {
    /// The processes, one bit each.
    pub processes: u64,
    /// A process outside of the set may still reach a visible transition or an error, so the search must apply the
    /// [cycle proviso](super::cycle_proviso).
    pub needs_proviso: bool,
    /// The number of transitions that are left out only because guards are false.
    pub saved_by_guards: usize,
}

impl Independence {
    /// The ample set of a state, none if the state must be expanded fully. `for_guards` is called if guards can make the
    /// set smaller, and gives the packed state if they are to be evaluated.
    pub(super) fn ample<'s>(
        &self,
        parts: &Parts,
        enabled: &mut EnabledProcesses,
        for_guards: impl FnOnce() -> Option<Cow<'s, State>>,
    ) -> Option<AmpleSet> {
        enabled.effort = Effort { processes: parts.standing.len() as u64, ..Effort::default() };
        enabled.read(self, parts)?;
        let known = enabled.memo.get();
        enabled.memo.note(known.is_some());
        let found = match known {
            Some(known) => known,
            None => self.static_choice(enabled),
        };
        let (mut chosen, mut saved_by_guards) = (found.chosen, 0);
        let may_help = !matches!(found.guards, UseOfGuards::None);
        if let Some(paths) = self.guarded.as_ref().filter(|_| may_help)
            && let Some(state) = for_guards()
        {
            enabled.effort.used_guards = true;
            chosen = self.choice_with_guards(paths, &state, enabled, found);
            let before = found.chosen.map_or(enabled.transitions(u64::MAX), |chosen| chosen.size);
            saved_by_guards = chosen.map_or(0, |chosen| before - chosen.size);
        }
        let Chosen { processes, needs_proviso, .. } = chosen?;
        Some(AmpleSet { processes, needs_proviso, saved_by_guards })
    }

    /// Chooses by the dependence rows.
    fn static_choice(&self, enabled: &mut EnabledProcesses) -> StaticChoice {
        if enabled.points.iter().any(|point| self.points[*point].in_startup) {
            return enabled.memo.put(StaticChoice::new(None, UseOfGuards::None));
        }
        let best = self.smallest(enabled, |enabled, closure, failed| self.close(enabled, closure, failed));
        enabled.effort.static_steps = std::mem::take(&mut enabled.steps);
        let is_least = best.is_some_and(|(size, _)| size == 1);
        let guards = if is_least { UseOfGuards::None } else { UseOfGuards::Unknown };
        enabled.memo.put(StaticChoice::new(best.map(|best| self.chosen(enabled, best)), guards))
    }

    /// Chooses by the dependence rows and the guards that are false in the state.
    fn choice_with_guards(
        &self,
        paths: &GuardedPaths,
        state: &State,
        enabled: &mut EnabledProcesses,
        mut found: StaticChoice,
    ) -> Option<Chosen> {
        // Finding out takes as long as a choice, so it pays only if these control points come again.
        if matches!(found.guards, UseOfGuards::Unknown) && enabled.memo.often_knows() {
            let guards = self.use_of_guards(paths, enabled, found.chosen);
            enabled.memo.put_guards(&mut found, guards);
        }
        let (guards, without_partner) = match found.guards {
            UseOfGuards::None => return found.chosen,
            UseOfGuards::Same(chosen) => return Some(chosen),
            UseOfGuards::Unknown => paths.guards_of(&enabled.points),
            UseOfGuards::Evaluate { guards, without_partner } => (guards, without_partner),
        };
        let (disabled, evaluations) = paths.disabled(state, guards);
        let disabled = disabled | without_partner;
        enabled.effort.evaluations = u64::from(evaluations);
        if let Some(known) = enabled.memo.get_guarded(&found, disabled) {
            return known;
        }
        let smaller = self.with_guards(paths, enabled, disabled).map(|best| self.chosen(enabled, best));
        let chosen = found.chosen.into_iter().chain(smaller).min_by_key(|chosen| chosen.size);
        enabled.memo.put_guarded(&found, disabled, chosen);
        chosen
    }

    /// What guards can do for the choice in states with these control points and enabled transitions. The fewer guards are
    /// true, the smaller is the set, so the case that all are false decides.
    fn use_of_guards(
        &self,
        paths: &GuardedPaths,
        enabled: &mut EnabledProcesses,
        known: Option<Chosen>,
    ) -> UseOfGuards {
        let (guards, without_partner) = paths.guards_of(&enabled.points);
        let least = self.with_guards(paths, enabled, guards | without_partner);
        match least.filter(|(size, _)| known.is_none_or(|known| *size < known.size)) {
            None => UseOfGuards::None,
            Some(least) if guards == 0 => UseOfGuards::Same(self.chosen(enabled, least)),
            Some(_) => UseOfGuards::Evaluate { guards, without_partner },
        }
    }

    /// The smallest usable set while these guards are false.
    fn with_guards(
        &self,
        paths: &GuardedPaths,
        enabled: &mut EnabledProcesses,
        disabled: GuardSet,
    ) -> Option<(usize, u64)> {
        enabled.guards.assume(paths, disabled, &enabled.points);
        let close = |enabled: &mut EnabledProcesses, closure: &mut Closure, failed| {
            self.close_with_guards(paths, enabled, closure, failed)
        };
        let smallest = self.smallest(enabled, close);
        enabled.effort.guarded_steps += std::mem::take(&mut enabled.steps);
        smallest
    }

    /// A set with its number of transitions. Finds out whether the search must apply the cycle proviso.
    fn chosen(&self, enabled: &EnabledProcesses, (size, processes): (usize, u64)) -> Chosen {
        let outside = |&(pid, point): &(usize, usize)| processes >> pid & 1 == 0 && self.points[point].relevant_ahead;
        let needs_proviso = self.preserve == Preserve::Safety && enabled.points().any(|at| outside(&at));
        Chosen { size, processes, needs_proviso }
    }

    /// The usable closed set with the fewest transitions, and their number. Every set is built around an enabled process.
    fn smallest(
        &self,
        enabled: &mut EnabledProcesses,
        close: impl Fn(&mut EnabledProcesses, &mut Closure, u64) -> Option<()>,
    ) -> Option<(usize, u64)> {
        let mut best: Option<(usize, u64)> = None;
        // The processes around which no usable set exists.
        let mut failed = 0;
        for pid in (0..enabled.points.len()).rev() {
            if !enabled.contains(pid) {
                continue;
            }
            let mut closure = Closure::around(pid);
            let closed = close(enabled, &mut closure, failed);
            enabled.steps += closure.steps;
            if closed.is_none() {
                failed |= 1 << pid;
                continue;
            }
            let size = enabled.transitions(closure.set);
            if best.is_none_or(|(least, _)| size < least) {
                best = Some((size, closure.set));
            }
            if size == 1 {
                break;
            }
        }
        best
    }

    /// Adds all processes on which a member depends. None if the set becomes unusable, which is known in advance if it
    /// contains a process of `failed`.
    fn close(&self, enabled: &EnabledProcesses, closure: &mut Closure, failed: u64) -> Option<()> {
        while let Some(member) = closure.next() {
            let row = self.add_member(enabled, closure, member)?;
            closure.add(self.dependent(enabled, row) | self.awaited_by_end(enabled, member));
            closure.is_usable(enabled, failed)?;
        }
        Some(())
    }

    /// Like [`Independence::close`], without the processes that cannot execute a dependent transition before a member of
    /// the set moves, because guards on their paths are false.
    fn close_with_guards(
        &self,
        paths: &GuardedPaths,
        enabled: &mut EnabledProcesses,
        closure: &mut Closure,
        failed: u64,
    ) -> Option<()> {
        loop {
            // Assume that all guards that are false stay false.
            while let Some(member) = closure.next() {
                let row = self.add_member(enabled, closure, member)?;
                let candidates = self.dependent(enabled, row) & !closure.set;
                closure.add(enabled.guards.dependent(candidates, row) | self.awaited_by_end(enabled, member));
                closure.is_usable(enabled, failed)?;
            }
            closure.steps += enabled.points.len() as u64;
            let stable = enabled.guards.stable(paths, closure.set, &enabled.points);
            let Some(stable) = stable else { return Some(()) };
            // Processes outside of the set can make some of them true.
            for member in members(closure.set) {
                let row = enabled.row(member);
                let candidates = self.dependent(enabled, row) & !closure.set;
                closure.add(enabled.guards.dependent_while(paths, candidates, row, stable, &enabled.points));
            }
            if closure.pending == 0 {
                return Some(());
            }
            // With guards a larger set can need fewer processes, so `failed` says nothing here.
            closure.is_usable(enabled, 0)?;
        }
    }

    /// Takes a process into a set. Its row, or none if the set violates C2 or C3.
    fn add_member(&self, enabled: &EnabledProcesses, closure: &mut Closure, member: usize) -> Option<usize> {
        closure.steps += 1;
        let (point, is_enabled) = (self.points[enabled.points[member]], enabled.contains(member));
        // A process that waits for a rendezvous is moved by its partner.
        closure.rendezvous_send |= is_enabled && point.rendezvous_send;
        closure.excluded_receiver |= point.rendezvous_receive && point.is_excluded();
        let excluded = is_enabled && point.is_excluded() || closure.rendezvous_send && closure.excluded_receiver;
        (!excluded).then(|| enabled.row(member))
    }

    /// The processes that can execute a transition dependent on a row, now or later.
    fn dependent(&self, enabled: &EnabledProcesses, number: usize) -> u64 {
        let (always, mut sometimes) = self.masks[number];
        let mut all = always & enabled.alive;
        sometimes &= enabled.alive;
        let row = &self.rows[number * self.words..];
        for pid in members(sometimes) {
            let other = enabled.points[pid];
            all |= (row[other / 64] >> (other % 64) & 1) << pid;
        }
        all
    }

    /// The youngest process, if the member waits for it to end: processes end in the reverse order of their creation.
    fn awaited_by_end(&self, enabled: &EnabledProcesses, member: usize) -> u64 {
        let waits = self.points[enabled.points[member]].may_end && !enabled.contains(member);
        u64::from(waits) << (enabled.points.len() - 1)
    }

    /// The control point of a process.
    fn point(&self, pid: usize, standing: Standing) -> Option<usize> {
        let instance = if self.by_pid { pid } else { standing.process as usize };
        Some(*self.first.get(instance)? as usize + standing.location as usize)
    }
}

/// A set of processes that is being closed under dependence.
struct Closure {
    set: u64,
    /// The members whose dependences have not been added yet.
    pending: u64,
    /// An enabled member may send in a rendezvous.
    rendezvous_send: bool,
    /// A member may receive in a rendezvous by a transition that no ample set may contain.
    excluded_receiver: bool,
    /// The number of processes whose dependences were looked up.
    steps: u64,
}

impl Closure {
    fn around(pid: usize) -> Closure {
        Closure { set: 1 << pid, pending: 1 << pid, rendezvous_send: false, excluded_receiver: false, steps: 0 }
    }

    fn next(&mut self) -> Option<usize> {
        let member = members(self.pending).next();
        self.pending &= self.pending.wrapping_sub(1);
        member
    }

    fn add(&mut self, more: u64) {
        self.pending |= more & !self.set;
        self.set |= more;
    }

    /// None if the set contains a process of `failed`, or all enabled processes.
    fn is_usable(&self, enabled: &EnabledProcesses, failed: u64) -> Option<()> {
        (self.set & failed == 0 && self.set & enabled.set != enabled.set).then_some(())
    }
}

/// The numbers in a set of processes.
pub(super) fn members(mut set: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}

/// The processes of a state: their control points and enabled transitions. One value is reused for all states.
#[derive(Default, Debug)]
pub(super) struct EnabledProcesses {
    /// The control point of each process.
    points: Vec<usize>,
    /// The number of enabled transitions of each process.
    counts: Vec<usize>,
    /// The enabled processes.
    set: u64,
    alive: u64,
    guards: GuardedState,
    memo: Memo,
    /// The number of processes whose dependences were looked up for a choice.
    steps: u64,
    /// What the last choice has cost.
    pub effort: Effort,
}

impl EnabledProcesses {
    /// Computes every choice anew.
    pub fn without_memo(mut self) -> EnabledProcesses {
        self.memo.is_off = true;
        self
    }

    /// Reads a state. None if the state has no proper ample set: fewer than two processes are enabled, or there are too
    /// many of them.
    #[inline]
    fn read(&mut self, independence: &Independence, parts: &Parts) -> Option<()> {
        let processes = parts.standing.len();
        if processes > 64 {
            return None;
        }
        self.counts.resize(processes, 0);
        self.counts.fill(0);
        self.set = 0;
        let mut start = parts.first;
        for &(pid, end) in &parts.ends {
            self.counts[usize::from(pid)] += end - start;
            self.set |= u64::from(end > start) << pid;
            start = end;
        }
        if self.set.count_ones() < 2 {
            return None;
        }
        self.alive = u64::MAX >> (64 - processes);
        self.points.resize(processes, 0);
        for (pid, (point, standing)) in self.points.iter_mut().zip(&parts.standing).enumerate() {
            *point = independence.point(pid, *standing)?;
        }
        let most = if independence.by_pid { independence.first.len() } else { 64 };
        self.memo.read(&self.points, &self.counts, most);
        Some(())
    }

    fn contains(&self, pid: usize) -> bool {
        self.set >> pid & 1 == 1
    }

    /// The dependence row of a process: each control point has one for a disabled and one for an enabled process.
    fn row(&self, pid: usize) -> usize {
        2 * self.points[pid] + usize::from(self.contains(pid))
    }

    /// The processes with their control points.
    fn points(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.points.iter().copied().enumerate()
    }

    /// The number of enabled transitions of a set of processes.
    fn transitions(&self, set: u64) -> usize {
        self.counts.iter().enumerate().filter(|(pid, _)| set >> pid & 1 == 1).map(|(_, count)| count).sum()
    }
}
