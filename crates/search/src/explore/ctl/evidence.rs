//! Runs that show why a formula is true or false, as far as runs can.
//!
//! They go through states about which something was found out: what the evaluation did not look at, nobody looks at now.
//! What has to be shown is a list of claims, each about a state of a run that is already there. A claim at the end of a run
//! makes it longer; others branch off.

use std::collections::{HashMap, HashSet, VecDeque};

use kripke_model::Trail;
use kripke_model::trail::Ending;

use super::Stop;
use super::evaluate::Evaluator;
use super::formula::{Part, PartId};
use crate::store::{StateId, Store};

/// Nobody reads more runs than this.
const MOST_RUNS: usize = 8;

/// Successors that are shown one by one where none of them has something.
const FEW: usize = 4;

/// Runs that show why a formula about branching is true or false at the start.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Evidence {
    /// Each but the first branches off one before it.
    pub runs: Vec<Run>,
    /// What the runs do not show, and where it is so.
    pub open: Vec<(Place, Claim)>,
}

/// One of several runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// From the initial state on.
    pub trail: Trail,
    /// Where it leaves another run.
    pub leaves: Option<Place>,
    /// What it shows there.
    pub shows: Claim,
}

/// After so many choices of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub run: usize,
    pub steps: u32,
}

/// A part of the formula has a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    pub part: PartId,
    pub value: bool,
}

/// A claim, and where it is to be shown.
#[derive(Clone, Copy)]
struct Pending {
    claim: Claim,
    at: StateId,
    place: Place,
}

/// What has been shown so far.
#[derive(Default)]
struct Tree {
    shown: Evidence,
    pending: Vec<Pending>,
    met: HashSet<(Claim, StateId)>,
    /// States from which a run shows that the part is true of some path.
    drawn: HashSet<(PartId, StateId)>,
}

/// Successors to take, and where each leads.
type Way = Vec<(u32, StateId)>;

impl Evidence {
    /// There is nothing to see.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.iter().all(|run| run.trail.choices.is_empty())
    }
}

impl Tree {
    fn claim(&mut self, part: PartId, value: bool, at: StateId, place: Place) {
        self.pending.push(Pending { claim: Claim { part, value }, at, place });
    }

    /// Whether a run can go on here without branching off.
    fn is_end(&self, place: Place) -> bool {
        let trail = &self.shown.runs[place.run].trail;
        trail.choices.len() == place.steps as usize && trail.ending == Ending::State
    }

    fn has_room(&self, place: Place) -> bool {
        self.is_end(place) || self.shown.runs.len() < MOST_RUNS
    }

    /// Goes this way from a place: along the run as far as it goes the same way, then on or off. All places on the way.
    fn walk(&mut self, from: Place, way: &Way, shows: Claim) -> Vec<Place> {
        let mut place = from;
        let mut places = vec![from];
        for (number, _) in way {
            let same = self.shown.runs[place.run].trail.choices.get(place.steps as usize) == Some(number);
            if !same {
                place = self.fork(place, shows);
                self.shown.runs[place.run].trail.choices.push(*number);
            }
            place.steps += 1;
            places.push(place);
        }
        places
    }

    /// A place where the run can go on: the same, or the end of a new run.
    fn fork(&mut self, place: Place, shows: Claim) -> Place {
        if self.is_end(place) {
            return place;
        }
        let choices = self.shown.runs[place.run].trail.choices[..place.steps as usize].to_vec();
        let trail = Trail { choices, ending: Ending::State };
        self.shown.runs.push(Run { trail, leaves: Some(place), shows });
        Place { run: self.shown.runs.len() - 1, steps: place.steps }
    }

    /// Goes round for ever, beginning here.
    fn go_round(&mut self, from: Place, round: &Way, shows: Claim) -> Vec<Place> {
        let place = self.fork(from, shows);
        let places = self.walk(place, round, shows);
        self.shown.runs[place.run].trail.ending = Ending::Cycle(place.steps);
        places
    }
}

impl<'w, S: Store> Evaluator<'w, '_, '_, S> {
    /// Shows that a part has this value in a state, which it has.
    pub fn evidence(&mut self, part: PartId, value: bool, at: StateId) -> Result<Evidence, Stop> {
        let mut tree = Tree::default();
        let trail = Trail { choices: Vec::new(), ending: Ending::State };
        tree.shown.runs.push(Run { trail, leaves: None, shows: Claim { part, value } });
        tree.claim(part, value, at, Place { run: 0, steps: 0 });
        while let Some(next) = tree.pending.pop() {
            if tree.met.insert((next.claim, next.at)) {
                self.show(&mut tree, next)?;
            }
        }
        Ok(tree.shown)
    }

    /// One operator: what it comes down to becomes new claims. Those that were made last are looked at first, so whatever
    /// is at the end of a run makes it longer before others branch off.
    fn show(&mut self, tree: &mut Tree, pending: Pending) -> Result<(), Stop> {
        let Pending { claim: Claim { part, value }, at, place } = pending;
        match (self.formula.part(part), value) {
            (Part::Constant(_) | Part::Atom(_), _) => {}
            (Part::Not(x), _) => tree.claim(x, !value, at, place),
            (Part::And(x, y), true) => {
                tree.claim(y, true, at, place);
                tree.claim(x, true, at, place);
            }
            (Part::And(x, y), false) => {
                let part = if self.judge(x, at)? { y } else { x };
                tree.claim(part, false, at, place);
            }
            (Part::Next(x), true) if tree.has_room(place) => {
                let step = self.next_with(x, at)?.expect("there is such a successor");
                let shows = self.asked(part, at)?;
                let places = tree.walk(place, &vec![step], shows);
                tree.claim(x, true, step.1, places[1]);
            }
            (Part::Next(x), false) => return self.no_next(tree, pending, x),
            (Part::Until(x, y), true) if tree.has_room(place) => return self.come(tree, pending, x, y),
            (Part::Until(x, y), false) if !self.judge(x, at)? => {
                tree.claim(x, false, at, place);
                tree.claim(y, false, at, place);
            }
            (Part::Stays(x), true) if tree.has_room(place) || self.formula.part(x) == Part::Constant(true) => {
                return self.stay(tree, pending, x);
            }
            (Part::Stays(x), false) if !self.judge(x, at)? => tree.claim(x, false, at, place),
            (Part::Inevitable(_, y), true) if self.judge(y, at)? => tree.claim(y, true, at, place),
            (Part::Inevitable(x, y), false) if tree.has_room(place) => return self.avoid(tree, pending, x, y),
            (Part::Next(_) | Part::Until(..) | Part::Stays(_) | Part::Inevitable(..), _) => {
                let open = self.asked(part, at)?;
                tree.shown.open.push((place, open));
            }
        }
        Ok(())
    }

    /// The same in terms of what was asked for.
    fn asked(&mut self, part: PartId, at: StateId) -> Result<Claim, Stop> {
        let part = self.formula.origin(part);
        Ok(Claim { part, value: self.judge(part, at)? })
    }

    /// No successor has it: if there are few, each is shown.
    fn no_next(&mut self, tree: &mut Tree, pending: Pending, x: PartId) -> Result<(), Stop> {
        let Pending { claim, at, place } = pending;
        let mut next: Way = Vec::new();
        for (number, id) in self.successors(at)?.into_iter().enumerate() {
            if next.iter().all(|(_, known)| *known != id) {
                next.push((number as u32, id));
            }
        }
        let shows = self.asked(claim.part, at)?;
        let room = MOST_RUNS.saturating_sub(tree.shown.runs.len());
        // Whether a path is fair is not for successors to say.
        if next.len() > FEW.min(room) || !self.formula.every_run_goes_on() {
            tree.shown.open.push((place, shows));
            return Ok(());
        }
        for step in next {
            let places = tree.walk(place, &vec![step], shows);
            tree.claim(x, false, step.1, places[1]);
        }
        Ok(())
    }

    /// A path with `x` until `y`.
    fn come(&mut self, tree: &mut Tree, pending: Pending, x: PartId, y: PartId) -> Result<(), Stop> {
        let Pending { claim: Claim { part, .. }, at, place } = pending;
        let drawn = &tree.drawn;
        let way = self.way(
            at,
            false,
            |e, id| Ok(drawn.contains(&(part, id)) || e.knows(part, true, id) && e.judge(y, id)?),
            |e, id| Ok(e.knows(part, true, id)),
        )?;
        let way = way.expect("there is a way to such a state");
        let states: Vec<StateId> = std::iter::once(at).chain(way.iter().map(|(_, id)| *id)).collect();
        let shows = self.asked(part, at)?;
        let places = tree.walk(place, &way, shows);
        let last = way.len();
        if self.formula.is_temporal(x) {
            (0..last).for_each(|i| tree.claim(x, true, states[i], places[i]));
        }
        if !tree.drawn.contains(&(part, states[last])) {
            tree.claim(y, true, states[last], places[last]);
        }
        tree.drawn.extend(states.into_iter().map(|id| (part, id)));
        Ok(())
    }

    /// A fair path on which `x` is always true.
    fn stay(&mut self, tree: &mut Tree, pending: Pending, x: PartId) -> Result<(), Stop> {
        let Pending { claim: Claim { part, .. }, at, place } = pending;
        let starts: HashSet<StateId> = self.tours.iter().filter(|(p, ..)| *p == part).map(|(_, id, _)| *id).collect();
        let arrived = |e: &mut Self, id| {
            Ok(e.knows(part, true, id) && (starts.contains(&id) || e.judge(x, id)? && e.successors(id)?.is_empty()))
        };
        let way = self.way(at, false, arrived, |e, id| Ok(e.knows(part, true, id)))?;
        let mut way = way.expect("there is a way to a fair cycle or to an end");
        let end = way.last().map_or(at, |(_, id)| *id);
        let shows = self.asked(part, at)?;
        let mut places = tree.walk(place, &way, shows);
        if let Some((_, _, tour)) = self.tours.iter().find(|(p, id, _)| *p == part && *id == end).cloned() {
            let round = self.follow(end, &tour)?;
            let turn = places[places.len() - 1];
            places.extend(tree.go_round(turn, &round, shows).into_iter().skip(1));
            way.extend(round);
        }
        self.claim_along(tree, x, true, at, &way, &places);
        Ok(())
    }

    /// A path on which `x` ends before `y` comes, or `y` never does.
    fn avoid(&mut self, tree: &mut Tree, pending: Pending, x: PartId, y: PartId) -> Result<(), Stop> {
        let Pending { claim: Claim { part, .. }, at, place } = pending;
        let shows = self.asked(part, at)?;
        let astray = |e: &mut Self, id| Ok(e.knows(part, false, id) && e.judge(x, id)?);
        let lost = |e: &mut Self, id: StateId| {
            Ok(e.knows(part, false, id) && (!e.judge(x, id)? || e.successors(id)?.is_empty()))
        };
        if let Some(way) = self.way(at, false, lost, astray)? {
            let places = tree.walk(place, &way, shows);
            self.claim_along(tree, y, false, at, &way, &places);
            let end = way.last().map_or(at, |(_, id)| *id);
            if !self.judge(x, end)? {
                tree.claim(x, false, end, places[way.len()]);
            }
            return Ok(());
        }
        let mut met = HashSet::new();
        let mut turn = at;
        while met.insert(turn) {
            let next = self.successors(turn)?;
            let on = next.into_iter().find(|id| self.knows(part, false, *id));
            turn = on.expect("there is always a way to go on without");
        }
        let mut way = self.way(at, false, |_, id| Ok(id == turn), astray)?.expect("the way was just gone");
        let round = self.way(turn, true, |_, id| Ok(id == turn), astray)?.expect("the round was just made");
        let mut places = tree.walk(place, &way, shows);
        let start = places[places.len() - 1];
        places.extend(tree.go_round(start, &round, shows).into_iter().skip(1));
        way.extend(round);
        self.claim_along(tree, y, false, at, &way, &places);
        Ok(())
    }

    /// Something is so all the way, from the first state to the last.
    fn claim_along(&self, tree: &mut Tree, part: PartId, value: bool, at: StateId, way: &Way, places: &[Place]) {
        if self.formula.is_temporal(part) {
            let states = std::iter::once(at).chain(way.iter().map(|(_, id)| *id));
            states.zip(places).for_each(|(id, place)| tree.claim(part, value, id, *place));
        }
    }

    /// The states that these choices lead to.
    fn follow(&mut self, from: StateId, choices: &[u32]) -> Result<Way, Stop> {
        let mut at = from;
        let mut way = Vec::new();
        for &number in choices {
            at = self.successors(at)?[number as usize];
            way.push((number, at));
        }
        Ok(way)
    }

    /// The shortest way to a wanted state by allowed ones.
    fn way(
        &mut self,
        from: StateId,
        moves: bool,
        wanted: impl Fn(&mut Self, StateId) -> Result<bool, Stop>,
        allowed: impl Fn(&mut Self, StateId) -> Result<bool, Stop>,
    ) -> Result<Option<Way>, Stop> {
        if !moves && wanted(self, from)? {
            return Ok(Some(Vec::new()));
        }
        let mut origins: HashMap<StateId, (StateId, u32)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            for (number, next) in self.successors(id)?.into_iter().enumerate() {
                let number = number as u32;
                if wanted(self, next)? {
                    let (mut way, mut at) = (vec![(number, next)], id);
                    while at != from {
                        let (before, choice) = origins[&at];
                        way.push((choice, at));
                        at = before;
                    }
                    way.reverse();
                    return Ok(Some(way));
                }
                if next != from && !origins.contains_key(&next) && allowed(self, next)? {
                    origins.insert(next, (id, number));
                    queue.push_back(next);
                }
            }
        }
        Ok(None)
    }
}
