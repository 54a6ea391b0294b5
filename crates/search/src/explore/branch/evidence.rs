//! The run that shows why a formula is false, as far as one run can.
//!
//! It goes through states about which something was found out: what the evaluation did not look at, nobody looks at now.

use std::collections::{HashMap, HashSet, VecDeque};

use super::evaluate::Evaluator;
use super::formula::{Part, PartId};
use super::{Evidence, Stop};
use crate::outcome::Violation;
use crate::store::{StateId, Store};

/// What is still to be shown, and where.
#[derive(Clone, Copy)]
struct Claim {
    part: PartId,
    value: bool,
    at: StateId,
}

impl<'w, S: Store> Evaluator<'w, '_, '_, S> {
    /// Shows that a part has this value in a state, which it has.
    pub fn evidence(&mut self, part: PartId, value: bool, at: StateId) -> Result<Violation, Stop> {
        let mut shown = Evidence::default();
        let mut claim = Some(Claim { part, value, at });
        while let Some(now) = claim {
            claim = self.step(now, &mut shown)?;
        }
        Ok(shown.violation())
    }

    /// One operator: what is to be shown next, if anything.
    fn step(&mut self, claim: Claim, shown: &mut Evidence) -> Result<Option<Claim>, Stop> {
        let Claim { part, value, at } = claim;
        match (self.formula.part(part), value) {
            (Part::Constant(_) | Part::Atom(_), _) => Ok(None),
            (Part::Not(x), _) => Ok(Some(Claim { part: x, value: !value, at })),
            (Part::And(x, y), true) => Ok(Some(self.either(x, y, claim, shown))),
            (Part::And(x, y), false) => {
                let part = if self.judge(x, at)? { y } else { x };
                Ok(Some(Claim { part, ..claim }))
            }
            (Part::Next(x), true) => {
                let (number, at) = self.next_with(x, at)?.expect("there is such a successor");
                shown.choices.push(number);
                Ok(Some(Claim { part: x, value, at }))
            }
            (Part::Next(_), false) if self.successors(at)?.is_empty() => Ok(None),
            (Part::Until(_, y), true) => {
                let way = self.way(
                    at,
                    false,
                    |e, id| Ok(e.knows(part, true, id) && e.judge(y, id)?),
                    |e, id| Ok(e.knows(part, true, id)),
                )?;
                let (choices, at) = way.expect("there is a way to such a state");
                shown.choices.extend(choices);
                Ok(Some(Claim { part: y, value, at }))
            }
            (Part::Until(x, y), false) if !self.judge(x, at)? => Ok(Some(Claim { part: y, ..claim })),
            (Part::Stays(x), true) => self.stay(part, x, at, shown).map(|()| None),
            (Part::Stays(x), false) if !self.judge(x, at)? => Ok(Some(Claim { part: x, ..claim })),
            (Part::Inevitable(_, y), true) if self.judge(y, at)? => Ok(Some(Claim { part: y, ..claim })),
            (Part::Inevitable(x, y), false) => self.avoid(part, (x, y), at, shown),
            (Part::Next(_) | Part::Until(..) | Part::Stays(_) | Part::Inevitable(..), _) => {
                let origin = self.formula.origin(part);
                let value = self.judge(origin, at)?;
                shown.open.get_or_insert((origin, value));
                Ok(None)
            }
        }
    }

    /// Both hold: goes on with the one that a run can show.
    fn either(&mut self, x: PartId, y: PartId, claim: Claim, shown: &mut Evidence) -> Claim {
        let (x, y) = if self.formula.is_temporal(x) { (x, y) } else { (y, x) };
        if x != y && self.formula.is_temporal(y) {
            shown.open.get_or_insert((self.formula.origin(y), true));
        }
        Claim { part: x, ..claim }
    }

    /// A fair path on which `x` is always true.
    fn stay(&mut self, part: PartId, x: PartId, at: StateId, shown: &mut Evidence) -> Result<(), Stop> {
        let starts: HashSet<StateId> = self.tours.iter().filter(|(p, ..)| *p == part).map(|(_, id, _)| *id).collect();
        let arrived = |e: &mut Self, id| {
            Ok(e.knows(part, true, id) && (starts.contains(&id) || e.judge(x, id)? && e.successors(id)?.is_empty()))
        };
        let way = self.way(at, false, arrived, |e, id| Ok(e.knows(part, true, id)))?;
        let (choices, at) = way.expect("there is a way to a fair cycle or to an end");
        shown.choices.extend(choices);
        if let Some((_, _, tour)) = self.tours.iter().find(|(p, id, _)| *p == part && *id == at) {
            shown.cycle = Some(shown.choices.len() as u32);
            shown.choices.extend(tour);
        }
        Ok(())
    }

    /// A path on which `x` ends before `y` comes, or `y` never does.
    fn avoid(
        &mut self,
        part: PartId,
        (x, y): (PartId, PartId),
        at: StateId,
        shown: &mut Evidence,
    ) -> Result<Option<Claim>, Stop> {
        let astray = |e: &mut Self, id| Ok(e.knows(part, false, id) && e.judge(x, id)?);
        let lost = |e: &mut Self, id: StateId| {
            Ok(e.knows(part, false, id) && (!e.judge(x, id)? || e.successors(id)?.is_empty()))
        };
        if let Some((choices, at)) = self.way(at, false, lost, astray)? {
            shown.choices.extend(choices);
            let ended = self.judge(x, at)?;
            let part = if ended || self.formula.is_temporal(y) { y } else { x };
            return Ok(Some(Claim { part, value: false, at }));
        }
        let mut met = HashSet::new();
        let mut turn = at;
        while met.insert(turn) {
            let next = self.successors(turn)?;
            let on = next.into_iter().find(|id| self.knows(part, false, *id));
            turn = on.expect("there is always a way to go on without");
        }
        let (stem, _) = self.way(at, false, |_, id| Ok(id == turn), astray)?.expect("the way was just gone");
        let (round, _) = self.way(turn, true, |_, id| Ok(id == turn), astray)?.expect("the round was just made");
        shown.choices.extend(stem);
        shown.cycle = Some(shown.choices.len() as u32);
        shown.choices.extend(round);
        Ok(None)
    }

    /// The shortest way to a wanted state by allowed ones: which successors to take, and where it ends.
    fn way(
        &mut self,
        from: StateId,
        moves: bool,
        wanted: impl Fn(&mut Self, StateId) -> Result<bool, Stop>,
        allowed: impl Fn(&mut Self, StateId) -> Result<bool, Stop>,
    ) -> Result<Option<(Vec<u32>, StateId)>, Stop> {
        if !moves && wanted(self, from)? {
            return Ok(Some((Vec::new(), from)));
        }
        let mut origins: HashMap<StateId, (StateId, u32)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            for (number, next) in self.successors(id)?.into_iter().enumerate() {
                let number = number as u32;
                if wanted(self, next)? {
                    let (mut choices, mut at) = (vec![number], id);
                    while at != from {
                        let (before, choice) = origins[&at];
                        choices.push(choice);
                        at = before;
                    }
                    choices.reverse();
                    return Ok(Some((choices, next)));
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
