//! Trails of counterexamples, and the proof that a trail was replayed.

use std::fmt;
use std::sync::Arc;

use crate::batch::Batch;
use crate::interpret::{Interpreter, Move, Point, Target};
use crate::ir::Observer;
use crate::path::Path;
use crate::successors::{AcceptanceMarks, Choice, Finding, Successors, Within};

/// The number of times a cycle is repeated to find a state that occurs again.
const MAX_TURNS: usize = 8;

/// A run as the index of the successor taken at each stored state. It is meaningful only together with its model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trail {
    /// The index of the successor taken at each stored state, from the initial state on.
    pub choices: Vec<u32>,
    /// The claim about the end of the run, which a replay checks.
    pub ending: Ending,
}

/// The end of a trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The last state, without an error.
    State,
    /// The finding with this number in the expansion of the last state.
    Finding(u32),
    /// An invalid end state.
    InvalidEnd,
    /// A state in which the model's goal holds.
    Goal,
    /// A state in which the observer is at an end location: the run is a bad prefix of the property.
    BadPrefix,
    /// A cycle through an accepting state: the state after the last choice equals the state after this many.
    Cycle(u32),
}

/// A trail that the reference interpreter has executed. Only [`Trail::replay`] makes one.
#[derive(Clone, Debug)]
pub struct Replayed {
    path: Arc<Path>,
    ending: Ending,
    finding: Option<Finding>,
    cycle: Option<usize>,
    /// The number of moves before each stored state, from the initial state on.
    reached: Vec<usize>,
}

/// The error that a trail is not an execution of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The number of choices that were replayed.
    pub at: usize,
    /// The mismatch between the trail and the model.
    pub what: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the trail does not fit the model after {} steps: {}", self.at, self.what)
    }
}

impl std::error::Error for ReplayError {}

impl Trail {
    /// Executes the trail from the initial state and checks its end.
    pub fn replay(&self, interpreter: &mut Interpreter) -> Result<Replayed, ReplayError> {
        self.execute(interpreter, true)
    }

    /// Executes a trail of a reduced model in the original model. Also returns the executed trail: a
    /// cycle of the reduced model may close in the original model only after several repetitions. If it never closes,
    /// since a variable that no property depends on keeps changing, it counts as a cycle nevertheless.
    pub fn replay_whole(
        &self,
        whole: &mut Interpreter,
        reduced: &mut Interpreter,
    ) -> Result<(Trail, Replayed), ReplayError> {
        let Ending::Cycle(start) = self.ending else { return Ok((self.clone(), self.replay(whole)?)) };
        if let Some(closed) = self.closed(start as usize, whole) {
            let replayed = closed.replay(whole)?;
            return Ok((closed, replayed));
        }
        self.replay(reduced)?;
        Ok((self.clone(), self.execute(whole, false)?))
    }

    /// The trail with the cycle repeated until a state of the original model occurs again.
    fn closed(&self, start: usize, interpreter: &mut Interpreter) -> Option<Trail> {
        let (stem, cycle) = self.choices.split_at_checked(start)?;
        let mut state = interpreter.initial_state().to_vec();
        follow(&mut state, stem, interpreter)?;
        let mut turns = vec![state.clone()];
        while turns.len() <= MAX_TURNS {
            follow(&mut state, cycle, interpreter)?;
            if let Some(first) = turns.iter().position(|turn| *turn == state) {
                let choices = [stem, &cycle.repeat(turns.len())].concat();
                return Some(Trail { choices, ending: Ending::Cycle((start + first * cycle.len()) as u32) });
            }
            turns.push(state.clone());
        }
        None
    }

    /// Executes the trail; `closes` says whether a cycle must return to the same state, which is not required for
    /// trails of a reduced model.
    fn execute(&self, interpreter: &mut Interpreter, closes: bool) -> Result<Replayed, ReplayError> {
        let mut batch = Batch::new();
        interpreter.initial(&mut batch);
        let mut state = batch.state(0).to_vec();
        let mut path = Path::new(&Point::free(state.clone()));
        let (mut start, mut accepting, mut met, mut marks) = (None, false, 0, Vec::new());
        let mut reached = vec![0];
        let fail = |at, what: &str| Err(ReplayError { at, what: what.to_string() });
        for (at, &choice) in self.choices.iter().enumerate() {
            batch.clear();
            let flags = interpreter.expand(&state, Choice::All, &mut batch);
            if self.ending == Ending::Cycle(at as u32) {
                start = Some((state.clone(), path.moves().len()));
            }
            if start.is_some() {
                accepting |= flags.accepting;
                marks.clear();
                interpreter.acceptance_marks(&state, &mut marks);
                met |= marks.get(choice as usize % marks.len().max(1)).copied().unwrap_or(0);
            }
            if choice as usize >= batch.len() {
                return fail(at, "no such successor");
            }
            let next = batch.state(choice as usize);
            let Some(steps) = interpreter.explain(&state, Target::Successor(choice as usize)) else {
                return fail(at, "the successor can't be explained");
            };
            if steps.last().and_then(|m| m.to.as_ref()).is_none_or(|to| to.state != next) {
                return fail(at, "the explanation leads elsewhere");
            }
            state.clear();
            state.extend_from_slice(next);
            steps.into_iter().for_each(|step| path.push(step));
            reached.push(path.moves().len());
        }
        let at = self.choices.len();
        let finding = match self.ending {
            Ending::State => None,
            Ending::Cycle(_) => {
                if start.as_ref().is_none_or(|(first, _)| closes && *first != state) {
                    return fail(at, "the run does not come back to where the cycle begins");
                }
                let enough = |observer: &Observer| match observer.all_marks() {
                    0 => accepting,
                    all => met == all,
                };
                if !interpreter.model().observer.as_ref().is_none_or(enough) {
                    return fail(at, "the cycle is not one that must not be");
                }
                None
            }
            Ending::InvalidEnd => {
                if !interpreter.invalid_end(&state) {
                    return fail(at, "the last state is a valid one");
                }
                None
            }
            Ending::Goal | Ending::BadPrefix => {
                let flags = interpreter.expand(&state, Choice::All, &mut Batch::new());
                if !(if self.ending == Ending::Goal { flags.goal } else { flags.bad_prefix }) {
                    return fail(at, "the last state is not what was looked for");
                }
                None
            }
            Ending::Finding(n) => {
                batch.clear();
                interpreter.expand(&state, Choice::All, &mut batch);
                let Some(finding) = batch.findings().get(n as usize) else {
                    return fail(at, "there is no such finding");
                };
                if finding.within != Within::Goal {
                    let Some(steps) = interpreter.explain(&state, Target::Finding(n as usize)) else {
                        return fail(at, "the finding can't be explained");
                    };
                    if steps.last().and_then(|m| m.findings.last()) != Some(finding) {
                        return fail(at, "the explanation leads elsewhere");
                    }
                    steps.into_iter().for_each(|step| path.push(step));
                }
                Some(finding.clone())
            }
        };
        let cycle = start.map(|(_, moves)| moves);
        Ok(Replayed { path: Arc::new(path), ending: self.ending, finding, cycle, reached })
    }
}

/// Follows choices from a state, if the successors exist.
fn follow(state: &mut Vec<u8>, choices: &[u32], interpreter: &mut Interpreter) -> Option<()> {
    let mut batch = Batch::new();
    for &choice in choices {
        batch.clear();
        interpreter.expand(state, Choice::All, &mut batch);
        if choice as usize >= batch.len() {
            return None;
        }
        *state = batch.state(choice as usize).to_vec();
    }
    Some(())
}

impl Replayed {
    /// The visible steps, including the steps inside atomic sequences.
    pub fn moves(&self) -> &[Move] {
        self.path.moves()
    }

    /// The moves with the states between them.
    pub fn path(&self) -> Arc<Path> {
        self.path.clone()
    }

    /// The stored state with this number. There is one more state than choices.
    pub fn state(&self, number: usize) -> Vec<u8> {
        self.path.state(self.reached[number])
    }

    /// All stored states.
    pub fn states(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        self.reached.iter().map(|moves| self.path.state(*moves))
    }

    /// The number of moves before the stored state with this number.
    pub fn moves_before(&self, state: usize) -> usize {
        self.reached[state]
    }

    /// The ending of the trail that was replayed.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// The finding that the run ends with, for [`Ending::Finding`].
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_ref()
    }

    /// The number of moves before the cycle, if the run ends in one.
    pub fn cycle(&self) -> Option<usize> {
        self.cycle
    }
}
