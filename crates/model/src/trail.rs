//! Trails of counterexamples, and the proof that a trail was replayed.

use std::fmt;
use std::sync::Arc;

use crate::batch::Batch;
use crate::interpret::{Interpreter, Move, Point, Target};
use crate::ir::Observer;
use crate::path::{Moves, Path};
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
    reached: Vec<u32>,
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
        let mut run = Execution::new(interpreter);
        for (at, &choice) in self.choices.iter().enumerate() {
            if self.ending == Ending::Cycle(at as u32) {
                run.begin_cycle();
            }
            run.step(choice as usize).map_err(|what| ReplayError { at, what: what.to_string() })?;
        }
        let finding = run
            .end(self.ending, closes)
            .map_err(|what| ReplayError { at: self.choices.len(), what: what.to_string() })?;
        let cycle = run.cycle.map(|cycle| cycle.moves);
        Ok(Replayed { path: Arc::new(run.path), ending: self.ending, finding, cycle, reached: run.reached })
    }
}

/// A trail under execution. Each step executes the moves of a state up to the chosen one.
struct Execution<'a> {
    interpreter: &'a mut Interpreter,
    state: Vec<u8>,
    /// The moves of the last step.
    steps: Vec<Move>,
    path: Path,
    reached: Vec<u32>,
    cycle: Option<Cycle>,
}

/// The cycle of a trail, as far as it was executed.
struct Cycle {
    /// The state where it begins, and the number of moves before.
    first: Vec<u8>,
    moves: usize,
    /// Whether one of its states is accepting.
    accepting: bool,
    /// The acceptance sets of its transitions.
    met: u32,
}

impl Execution<'_> {
    fn new(interpreter: &mut Interpreter) -> Execution<'_> {
        let state = interpreter.initial_state().to_vec();
        let path = Path::new(&Point::free(state.clone()));
        Execution { interpreter, state, steps: Vec::new(), path, reached: vec![0], cycle: None }
    }

    fn begin_cycle(&mut self) {
        let moves = self.path.moves().len();
        self.cycle = Some(Cycle { first: self.state.clone(), moves, accepting: false, met: 0 });
    }

    /// Goes to the successor with this number.
    fn step(&mut self, choice: usize) -> Result<(), &'static str> {
        if !self.interpreter.explain_into(&self.state, Target::Successor(choice), &mut self.steps) {
            return Err("no such successor");
        }
        if let Some(cycle) = &mut self.cycle {
            cycle.accepting |= self.interpreter.is_accepting(&self.state);
            let mut marks = Vec::new();
            self.interpreter.acceptance_marks(&self.state, &mut marks);
            cycle.met |= marks.get(choice % marks.len().max(1)).copied().unwrap_or(0);
        }
        let to = self.steps.last().and_then(|last| last.to.as_ref()).ok_or("the explanation leads nowhere")?;
        self.state.clone_from(&to.state);
        self.steps.iter().for_each(|step| self.path.push(step));
        self.reached.push(u32::try_from(self.path.moves().len()).map_err(|_| "it is too long")?);
        Ok(())
    }

    /// Checks the end of the trail. Returns the finding that it ends with.
    fn end(&mut self, ending: Ending, closes: bool) -> Result<Option<Finding>, &'static str> {
        let is_right = |right: bool, what| if right { Ok(None) } else { Err(what) };
        match ending {
            Ending::State => Ok(None),
            Ending::Cycle(_) => self.end_cycle(closes).map(|()| None),
            Ending::InvalidEnd => is_right(self.interpreter.invalid_end(&self.state), "the last state is a valid one"),
            Ending::Goal | Ending::BadPrefix => {
                let flags = self.interpreter.expand(&self.state, Choice::All, &mut Batch::new());
                let right = if ending == Ending::Goal { flags.goal } else { flags.bad_prefix };
                is_right(right, "the last state is not what was looked for")
            }
            Ending::Finding(n) => self.end_finding(n as usize).map(Some),
        }
    }

    fn end_cycle(&self, closes: bool) -> Result<(), &'static str> {
        let cycle = self.cycle.as_ref().filter(|cycle| !closes || cycle.first == self.state);
        let cycle = cycle.ok_or("the run does not come back to where the cycle begins")?;
        let enough = |observer: &Observer| match observer.all_marks() {
            0 => cycle.accepting,
            all => cycle.met == all,
        };
        let is_wrong = self.interpreter.model().observer.as_ref().is_none_or(enough);
        if is_wrong { Ok(()) } else { Err("the cycle is not one that must not be") }
    }

    fn end_finding(&mut self, number: usize) -> Result<Finding, &'static str> {
        let mut batch = Batch::new();
        self.interpreter.expand(&self.state, Choice::All, &mut batch);
        let finding = batch.findings().get(number).ok_or("there is no such finding")?;
        if finding.within != Within::Goal {
            let steps = self.interpreter.explain(&self.state, Target::Finding(number));
            let steps = steps.ok_or("the finding can't be explained")?;
            if steps.last().and_then(|m| m.findings.last()) != Some(finding) {
                return Err("the explanation leads elsewhere");
            }
            steps.iter().for_each(|step| self.path.push(step));
        }
        Ok(finding.clone())
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
    pub fn moves(&self) -> &Moves {
        self.path.moves()
    }

    /// The moves with the states between them.
    pub fn path(&self) -> Arc<Path> {
        self.path.clone()
    }

    /// The stored state with this number. There is one more state than choices.
    pub fn state(&self, number: usize) -> Vec<u8> {
        self.path.state(self.moves_before(number))
    }

    /// All stored states.
    pub fn states(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        let mut cursor = self.path.cursor(0);
        self.reached.iter().map(move |moves| cursor.go(*moves as usize).to_vec())
    }

    /// The number of moves before the stored state with this number.
    pub fn moves_before(&self, state: usize) -> usize {
        self.reached[state] as usize
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
