//! Witnesses and counterexamples of CTL formulas: a tree of runs.
//!
//! Runs visit only states whose values the evaluation has determined. The construction works on a list of claims,
//! each about a state of an existing run. A claim at the end of a run extends it; other claims branch off.

use std::collections::{HashMap, HashSet, VecDeque};

use kripke_model::Trail;
use kripke_model::trail::Ending;

use super::Stop;
use super::evaluate::Evaluator;
use super::formula::{Operator, SubformulaId};
use crate::store::{StateId, Store};

/// Maximum number of runs.
const MAX_RUNS: usize = 8;

/// Maximum number of successors that are shown individually to refute `EX`.
const MAX_SHOWN_SUCCESSORS: usize = 4;

/// Runs that explain the value of a CTL formula in the initial state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Evidence {
    /// The runs. Each one but the first branches off an earlier one.
    pub runs: Vec<Run>,
    /// Claims that the runs do not show, with their positions.
    pub open: Vec<(Place, Claim)>,
}

/// A run of the evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The run, from the initial state.
    pub trail: Trail,
    /// The position where it branches off another run.
    pub leaves: Option<Place>,
    /// The claim that the run shows at that position.
    pub shows: Claim,
}

/// A position in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the run.
    pub run: usize,
    /// The number of choices before the position.
    pub steps: u32,
}

/// A claim: a subformula has a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// The subformula.
    pub subformula: SubformulaId,
    /// Its value.
    pub value: bool,
}

/// A claim that is still to be shown.
#[derive(Clone, Copy)]
struct Pending {
    claim: Claim,
    at: StateId,
    place: Place,
}

/// The evidence under construction.
#[derive(Default)]
struct EvidenceTree {
    shown: Evidence,
    pending: Vec<Pending>,
    processed: HashSet<(Claim, StateId)>,
    /// States from which a run already shows an `E[x U y]` subformula.
    shown_until: HashSet<(SubformulaId, StateId)>,
}

/// Choices, and the state that each leads to.
type Path = Vec<(u32, StateId)>;

impl Evidence {
    /// Whether no run has any transition.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.iter().all(|run| run.trail.choices.is_empty())
    }
}

impl EvidenceTree {
    fn claim(&mut self, subformula: SubformulaId, value: bool, at: StateId, place: Place) {
        self.pending.push(Pending { claim: Claim { subformula, value }, at, place });
    }

    /// Whether the run can be extended at this position without branching off.
    fn is_end(&self, place: Place) -> bool {
        let trail = &self.shown.runs[place.run].trail;
        trail.choices.len() == place.steps as usize && trail.ending == Ending::State
    }

    fn has_room(&self, place: Place) -> bool {
        self.is_end(place) || self.shown.runs.len() < MAX_RUNS
    }

    /// Adds a path at a position: it follows the run as long as the choices agree, then extends it or branches off.
    /// Returns all positions on the path.
    fn follow_path(&mut self, from: Place, path: &Path, shows: Claim) -> Vec<Place> {
        let mut place = from;
        let mut places = vec![from];
        for (number, _) in path {
            let same = self.shown.runs[place.run].trail.choices.get(place.steps as usize) == Some(number);
            if !same {
                place = self.branch_off(place, shows);
                self.shown.runs[place.run].trail.choices.push(*number);
            }
            place.steps += 1;
            places.push(place);
        }
        places
    }

    /// A position that can be extended: the given one, or the end of a new run that branches off there.
    fn branch_off(&mut self, place: Place, shows: Claim) -> Place {
        if self.is_end(place) {
            return place;
        }
        let choices = self.shown.runs[place.run].trail.choices[..place.steps as usize].to_vec();
        let trail = Trail { choices, ending: Ending::State };
        self.shown.runs.push(Run { trail, leaves: Some(place), shows });
        Place { run: self.shown.runs.len() - 1, steps: place.steps }
    }

    /// Ends a run with a cycle that starts at a position.
    fn close_cycle(&mut self, from: Place, cycle: &Path, shows: Claim) -> Vec<Place> {
        let place = self.branch_off(from, shows);
        let places = self.follow_path(place, cycle, shows);
        self.shown.runs[place.run].trail.ending = Ending::Cycle(place.steps);
        places
    }
}

impl<'w, S: Store> Evaluator<'w, '_, '_, S> {
    /// Constructs the evidence for a subformula that has this value in a state.
    pub fn evidence(&mut self, subformula: SubformulaId, value: bool, at: StateId) -> Result<Evidence, Stop> {
        let mut tree = EvidenceTree::default();
        let trail = Trail { choices: Vec::new(), ending: Ending::State };
        tree.shown.runs.push(Run { trail, leaves: None, shows: Claim { subformula, value } });
        tree.claim(subformula, value, at, Place { run: 0, steps: 0 });
        while let Some(next) = tree.pending.pop() {
            if tree.processed.insert((next.claim, next.at)) {
                self.show(&mut tree, next)?;
            }
        }
        Ok(tree.shown)
    }

    /// Replaces a claim by claims about its operands. Claims are processed last in, first out, so that claims at the
    /// end of a run extend it before others branch off.
    fn show(&mut self, tree: &mut EvidenceTree, pending: Pending) -> Result<(), Stop> {
        let Pending { claim: Claim { subformula, value }, at, place } = pending;
        match (self.formula.operator(subformula), value) {
            (Operator::Constant(_) | Operator::Atom(_), _) => {}
            (Operator::Not(x), _) => tree.claim(x, !value, at, place),
            (Operator::And(x, y), true) => {
                tree.claim(y, true, at, place);
                tree.claim(x, true, at, place);
            }
            (Operator::And(x, y), false) => {
                let subformula = if self.evaluate(x, at)? { y } else { x };
                tree.claim(subformula, false, at, place);
            }
            (Operator::ExistsNext(x), true) if tree.has_room(place) => {
                let step = self.next_with(x, at)?.expect("the claim holds in a successor");
                let shows = self.claim_of_origin(subformula, at)?;
                let places = tree.follow_path(place, &vec![step], shows);
                tree.claim(x, true, step.1, places[1]);
            }
            (Operator::ExistsNext(x), false) => return self.refute_next(tree, pending, x),
            (Operator::ExistsUntil(x, y), true) if tree.has_room(place) => return self.show_until(tree, pending, x, y),
            (Operator::ExistsUntil(x, y), false) if !self.evaluate(x, at)? => {
                tree.claim(x, false, at, place);
                tree.claim(y, false, at, place);
            }
            (Operator::ExistsGlobally(x), true)
                if tree.has_room(place) || self.formula.operator(x) == Operator::Constant(true) =>
            {
                return self.show_globally(tree, pending, x);
            }
            (Operator::ExistsGlobally(x), false) if !self.evaluate(x, at)? => tree.claim(x, false, at, place),
            (Operator::AllUntil(_, y), true) if self.evaluate(y, at)? => tree.claim(y, true, at, place),
            (Operator::AllUntil(x, y), false) if tree.has_room(place) => {
                return self.refute_all_until(tree, pending, x, y);
            }
            (
                Operator::ExistsNext(_)
                | Operator::ExistsUntil(..)
                | Operator::ExistsGlobally(_)
                | Operator::AllUntil(..),
                _,
            ) => {
                let open = self.claim_of_origin(subformula, at)?;
                tree.shown.open.push((place, open));
            }
        }
        Ok(())
    }

    /// The claim about the subformula of the original formula that this subformula belongs to.
    fn claim_of_origin(&mut self, subformula: SubformulaId, at: StateId) -> Result<Claim, Stop> {
        let subformula = self.formula.origin(subformula);
        Ok(Claim { subformula, value: self.evaluate(subformula, at)? })
    }

    /// Refutes `EX x`: if the state has few successors, each is shown.
    fn refute_next(&mut self, tree: &mut EvidenceTree, pending: Pending, x: SubformulaId) -> Result<(), Stop> {
        let Pending { claim, at, place } = pending;
        let mut next: Path = Vec::new();
        for (number, id) in self.successors(at)?.into_iter().enumerate() {
            if next.iter().all(|(_, known)| *known != id) {
                next.push((number as u32, id));
            }
        }
        let shows = self.claim_of_origin(claim.subformula, at)?;
        let room = MAX_RUNS.saturating_sub(tree.shown.runs.len());
        // Successors do not show whether a path is fair.
        if next.len() > MAX_SHOWN_SUCCESSORS.min(room) || !self.formula.every_run_is_fairly_extendable() {
            tree.shown.open.push((place, shows));
            return Ok(());
        }
        for step in next {
            let places = tree.follow_path(place, &vec![step], shows);
            tree.claim(x, false, step.1, places[1]);
        }
        Ok(())
    }

    /// Shows `E[x U y]` by a path.
    fn show_until(
        &mut self,
        tree: &mut EvidenceTree,
        pending: Pending,
        x: SubformulaId,
        y: SubformulaId,
    ) -> Result<(), Stop> {
        let Pending { claim: Claim { subformula, .. }, at, place } = pending;
        let shown_until = &tree.shown_until;
        let path = self.path(
            at,
            false,
            |e, id| {
                Ok(shown_until.contains(&(subformula, id)) || e.is_known(subformula, true, id) && e.evaluate(y, id)?)
            },
            |e, id| Ok(e.is_known(subformula, true, id)),
        )?;
        let path = path.expect("a path exists");
        let states: Vec<StateId> = std::iter::once(at).chain(path.iter().map(|(_, id)| *id)).collect();
        let shows = self.claim_of_origin(subformula, at)?;
        let places = tree.follow_path(place, &path, shows);
        let last = path.len();
        if self.formula.is_temporal(x) {
            (0..last).for_each(|i| tree.claim(x, true, states[i], places[i]));
        }
        if !tree.shown_until.contains(&(subformula, states[last])) {
            tree.claim(y, true, states[last], places[last]);
        }
        tree.shown_until.extend(states.into_iter().map(|id| (subformula, id)));
        Ok(())
    }

    /// Shows `EG x` by a fair path.
    fn show_globally(&mut self, tree: &mut EvidenceTree, pending: Pending, x: SubformulaId) -> Result<(), Stop> {
        let Pending { claim: Claim { subformula, .. }, at, place } = pending;
        let starts: HashSet<StateId> =
            self.fair_cycles.iter().filter(|(p, ..)| *p == subformula).map(|(_, id, _)| *id).collect();
        let arrived = |e: &mut Self, id| {
            Ok(e.is_known(subformula, true, id)
                && (starts.contains(&id) || e.evaluate(x, id)? && e.successors(id)?.is_empty()))
        };
        let path = self.path(at, false, arrived, |e, id| Ok(e.is_known(subformula, true, id)))?;
        let mut path = path.expect("a path to a fair cycle or an end state exists");
        let end = path.last().map_or(at, |(_, id)| *id);
        let shows = self.claim_of_origin(subformula, at)?;
        let mut places = tree.follow_path(place, &path, shows);
        if let Some((_, _, cycle)) = self.fair_cycles.iter().find(|(p, id, _)| *p == subformula && *id == end).cloned()
        {
            let cycle = self.follow(end, &cycle)?;
            let start_of_cycle = places[places.len() - 1];
            places.extend(tree.close_cycle(start_of_cycle, &cycle, shows).into_iter().skip(1));
            path.extend(cycle);
        }
        self.claim_along(tree, x, true, at, &path, &places);
        Ok(())
    }

    /// Refutes `A[x U y]` by a path on which `x` fails before `y` holds, or `y` never holds.
    fn refute_all_until(
        &mut self,
        tree: &mut EvidenceTree,
        pending: Pending,
        x: SubformulaId,
        y: SubformulaId,
    ) -> Result<(), Stop> {
        let Pending { claim: Claim { subformula, .. }, at, place } = pending;
        let shows = self.claim_of_origin(subformula, at)?;
        let violates = |e: &mut Self, id| Ok(e.is_known(subformula, false, id) && e.evaluate(x, id)?);
        let ends = |e: &mut Self, id: StateId| {
            Ok(e.is_known(subformula, false, id) && (!e.evaluate(x, id)? || e.successors(id)?.is_empty()))
        };
        if let Some(path) = self.path(at, false, ends, violates)? {
            let places = tree.follow_path(place, &path, shows);
            self.claim_along(tree, y, false, at, &path, &places);
            let end = path.last().map_or(at, |(_, id)| *id);
            if !self.evaluate(x, end)? {
                tree.claim(x, false, end, places[path.len()]);
            }
            return Ok(());
        }
        let mut visited = HashSet::new();
        let mut start_of_cycle = at;
        while visited.insert(start_of_cycle) {
            let next = self.successors(start_of_cycle)?;
            let on = next.into_iter().find(|id| self.is_known(subformula, false, *id));
            start_of_cycle = on.expect("a successor violates the subformula too");
        }
        let mut path =
            self.path(at, false, |_, id| Ok(id == start_of_cycle), violates)?.expect("the path was just followed");
        let cycle = self
            .path(start_of_cycle, true, |_, id| Ok(id == start_of_cycle), violates)?
            .expect("the cycle was just followed");
        let mut places = tree.follow_path(place, &path, shows);
        let start = places[places.len() - 1];
        places.extend(tree.close_cycle(start, &cycle, shows).into_iter().skip(1));
        path.extend(cycle);
        self.claim_along(tree, y, false, at, &path, &places);
        Ok(())
    }

    /// Claims a value for all states of a path.
    fn claim_along(
        &self,
        tree: &mut EvidenceTree,
        subformula: SubformulaId,
        value: bool,
        at: StateId,
        path: &Path,
        places: &[Place],
    ) {
        if self.formula.is_temporal(subformula) {
            let states = std::iter::once(at).chain(path.iter().map(|(_, id)| *id));
            states.zip(places).for_each(|(id, place)| tree.claim(subformula, value, id, *place));
        }
    }

    /// The states that a sequence of choices visits.
    fn follow(&mut self, from: StateId, choices: &[u32]) -> Result<Path, Stop> {
        let mut at = from;
        let mut path = Vec::new();
        for &number in choices {
            at = self.successors(at)?[number as usize];
            path.push((number, at));
        }
        Ok(path)
    }

    /// The shortest path to a wanted state through allowed states. With `moves` it has at least one transition.
    fn path(
        &mut self,
        from: StateId,
        moves: bool,
        wanted: impl Fn(&mut Self, StateId) -> Result<bool, Stop>,
        allowed: impl Fn(&mut Self, StateId) -> Result<bool, Stop>,
    ) -> Result<Option<Path>, Stop> {
        if !moves && wanted(self, from)? {
            return Ok(Some(Vec::new()));
        }
        let mut parents: HashMap<StateId, (StateId, u32)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            for (number, next) in self.successors(id)?.into_iter().enumerate() {
                let number = number as u32;
                if wanted(self, next)? {
                    let (mut path, mut at) = (vec![(number, next)], id);
                    while at != from {
                        let (before, choice) = parents[&at];
                        path.push((choice, at));
                        at = before;
                    }
                    path.reverse();
                    return Ok(Some(path));
                }
                if next != from && !parents.contains_key(&next) && allowed(self, next)? {
                    parents.insert(next, (id, number));
                    queue.push_back(next);
                }
            }
        }
        Ok(None)
    }
}
